import t from 'tap'
import { createAddressCheck, hostOf, urlFault } from './allowed-addresses.ts'

const internet = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '193.0.0.1',
  '2606:4700::1111',
  '2a00::1',
]
const special = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1'],
  ...['192.168.0.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::127.0.0.1', '::7f00:1'],
  ...['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1'],
  ...['2001:10::1', '2002:7f00:1::1', '2002:a9fe:a9fe::', '3fff::1', 'fc00::1', 'fd12:3456::1'],
  ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '5f00::1'],
  ...['', 'localhost', '127.1', '1.2.3', 'example.com', '8.8.8.8.8', ' 8.8.8.8'],
]

t.test('webhooks lead to addresses on the Internet only', async (t) => {
  const check = createAddressCheck([])
  for (const address of internet) t.ok(check.allows('example.com', address), address)
  for (const address of special) t.notOk(check.allows('example.com', address), address)
  t.ok(check.allows('example.com', '::ffff:8.8.8.8'), 'IPv4 as IPv6')
})

t.test('an administrator allows hosts, addresses and networks', async (t) => {
  const check = createAddressCheck(['nas.lan', '192.168.1.0/24', '127.0.0.1', 'fd00::/8', 'Printer.LAN.'])
  for (const address of ['192.168.1.7', '127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', 'fd00::1'])
    t.ok(check.allows('any.example', address), address)
  for (const address of ['192.168.2.7', '127.0.0.2', 'fc00::1', '10.0.0.1'])
    t.notOk(check.allows('any.example', address), address)
  for (const host of ['nas.lan', 'NAS.lan', 'nas.lan.', 'printer.lan'])
    t.ok(check.allows(host, '10.0.0.1'), host)
  for (const host of ['xnas.lan', 'nas.lan.evil.example', 'lan', 'a.nas.lan'])
    t.notOk(check.allows(host, '10.0.0.1'), host)
})

t.test('an internal address is refused in every spelling', async (t) => {
  const check = createAddressCheck([])
  const spellings = [
    ...[
      '169.254.169.254',
      '169.254.43518',
      '169.16689662',
      '2852039166',
      '0xa9fea9fe',
      '0xA9.0xFE.0xA9.0xFE',
    ],
    ...['0251.0376.0251.0376', '0251.254.0xa9.254', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]'],
    ...['[0:0:0:0:0:ffff:a9fe:a9fe]', '[64:ff9b::169.254.169.254]', '[2002:a9fe:a9fe::]', '169.254.169.254.'],
    ...['１６９.２５４.１６９.２５４', '169。254。169。254', '①⑥⑨.254.169.254', '%31%36%39.254.169.254'],
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0', '0.0.0.0', '[::1]', '[::]', '[::127.0.0.1]'],
  ]
  for (const host of spellings) t.ok(urlFault(`http://${host}/x`, check), host)
  t.equal(hostOf(new URL('http://[::1]:80/')), '::1')
})

t.test('only web addresses without a user name are accepted', async (t) => {
  const check = createAddressCheck([])
  const refused = [
    ...[
      '',
      'x',
      '//example.com',
      'ftp://example.com',
      'file:///etc/passwd',
      'gopher://example.com',
      'http://',
    ],
    ...['javascript:alert(1)', 'data:text/plain,x', 'http://a@example.com', 'http://a:b@example.com'],
    ...['http://:b@example.com', 'http://999.1.1.1/', 'http://exa mple.com', 'http://[::1'],
  ]
  for (const url of refused) t.type(urlFault(url, check), 'string', url)
  for (const url of [
    'https://example.com',
    'http://example.com:8080/a?b#c',
    'HTTPS://EXAMPLE.com',
    'https://8.8.8.8/',
  ])
    t.equal(urlFault(url, check), undefined, url)
})
