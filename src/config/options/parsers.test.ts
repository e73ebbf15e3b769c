import t from 'tap'
import { basePath, booleanSwitch, duration, hosts, mode, port, ranges } from './parsers.ts'

t.test('a duration has the syntax of Go, from one second to thirty days', async (t) => {
  const cases: [string, number | undefined][] = [
    ['2h', 7_200_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1500ms', 1500],
    ['720h', 2_592_000_000],
    ['721h', undefined],
    ['999ms', undefined],
    ['2', undefined],
    ['-2h', undefined],
    ['2d', undefined],
    ['', undefined],
  ]
  for (const [text, ms] of cases) t.equal(duration.parse(text), ms, text)
})

t.test('refuses addresses and ranges that are invalid', async (t) => {
  t.strictSame(ranges.parse('127.0.0.1, ::1 10.0.0.0/8'), ['127.0.0.1', '::1', '10.0.0.0/8'])
  for (const text of ['localhost', '10.0.0.0/33', '10.0.0.0/', '::/129', '1.2.3.4/8/8', '10.0.0.0/1e1']) {
    t.equal(ranges.parse(text), undefined, text)
  }
})

t.test('the base path accepts missing and additional slashes', async (t) => {
  for (const text of ['files', '/files', 'files/', '//files//']) t.equal(basePath.parse(text), '/files', text)
  t.equal(basePath.parse('/'), '')
  for (const text of ['https://a.b', '/a?b', '/a#b', '/a/../b', '/a b', '/%2e'])
    t.equal(basePath.parse(text), undefined)
})

t.test('the base path cannot begin with a path of Coffer itself', async (t) => {
  for (const text of ['/api', 'static/', '/health/a', '//api//b'])
    t.equal(basePath.parse(text), undefined, text)
  for (const text of ['/apis', '/a/api', '/healthy']) t.equal(basePath.parse(text), text)
})

t.test('ports, modes and switches accept no other text', async (t) => {
  t.strictSame(['0', '65535', '65536', '080', 'http', ' 80', '8e1'].map(port.parse), [
    0,
    65535,
    undefined,
    80,
    undefined,
    undefined,
    undefined,
  ])
  t.strictSame(['0660', '600', '0999', '07777', 'rw'].map(mode.parse), [
    0o660,
    0o600,
    undefined,
    undefined,
    undefined,
  ])
  t.strictSame(['true', '0', 'TRUE', 'yes', 'constructor'].map(booleanSwitch.parse), [
    true,
    false,
    true,
    undefined,
    undefined,
  ])
})

t.test('a list of hosts has names, addresses and ranges, and refuses what was written wrong', async (t) => {
  t.strictSame(hosts.parse('nas.lan, 192.168.1.0/24 ::1,a-b_c.example'), [
    ...['nas.lan', '192.168.1.0/24', '::1', 'a-b_c.example'],
  ])
  t.strictSame(hosts.parse(''), [])
  for (const text of [
    '192.168.1.0/33',
    '192.168.1',
    '1.2.3.4.5',
    'http://nas',
    'nas:80',
    '*.lan',
    '-a',
    'a/24',
    'ä',
  ])
    t.equal(hosts.parse(text), undefined, text)
})
