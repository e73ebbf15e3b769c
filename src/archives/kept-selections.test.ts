import t from 'tap'
import { start } from '#src/testing/start.ts'
import { createKeptSelections } from './kept-selections.ts'

t.test('a selection that is too long for a URL is downloaded by a short id', async (t) => {
  const names = Array.from({ length: 600 }, (_, n) => `Отчёт о поездке номер ${n}.txt`)
  const docs = Object.fromEntries(names.map((name) => [name, name]))
  const { as, call, clock } = await start(t, {
    tree: { docs: { ...docs, 'other.txt': 'OTHER' } },
    people: { alice: { perm: { download: true, share: true } } },
  })
  const alice = await as('alice')
  const files = names.map(encodeURIComponent).join(',')
  t.equal((await call('POST', '/api/public/selection', { payload: { files: '' } })).statusCode, 400)
  const unknown = await call('POST', '/api/public/selection', { payload: { files } })
  t.equal(unknown.statusCode, 413, 'without a login, a body has at most 64 KiB')
  const { selection } = (await alice('POST', '/api/public/selection', { payload: { files } })).json()
  t.match(selection, /^[\w-]{22}$/)
  const { hash } = (await alice('POST', '/api/share/docs')).json()
  for (const address of ['/api/raw/docs', `/api/public/dl/${hash}/`]) {
    const url = `${address}?algo=tar&selection=${selection}`
    const { statusCode, body } = await alice('GET', url)
    t.equal(statusCode, 200)
    for (const name of [names[0], names[599]]) t.match(body, name)
    t.notMatch(body, 'OTHER')
    t.equal((await call('GET', '/api/raw/docs?selection=x')).statusCode, 401, 'the id alone grants no access')
  }
  t.equal((await alice('GET', '/api/raw/docs?selection=nobodys')).statusCode, 422)
  clock.advance({ seconds: 61 })
  t.equal(
    (await alice('GET', `/api/raw/docs?selection=${selection}`)).statusCode,
    422,
    'the selection has expired',
  )
})

t.test('a visitor sends a long selection in parts, each within the body limit', async (t) => {
  const names = Array.from({ length: 600 }, (_, n) => `Отчёт о поездке номер ${n}.txt`)
  const { as, call } = await start(t, {
    tree: { docs: { ...Object.fromEntries(names.map((name) => [name, name])), 'other.txt': 'OTHER' } },
    people: { alice: { perm: { download: true, share: true } } },
  })
  const { hash } = (await (await as('alice'))('POST', '/api/share/docs')).json()
  const keep = async (part: readonly string[], selection?: string) =>
    call('POST', '/api/public/selection', {
      payload: { files: part.map(encodeURIComponent).join(','), selection },
    })
  const first = (await keep(names.slice(0, 300))).json().selection
  const both = (await keep(names.slice(300), first)).json().selection
  const { statusCode, body } = await call('GET', `/api/public/dl/${hash}/?algo=tar&selection=${both}`)
  t.equal(statusCode, 200)
  for (const name of [names[0], names[299], names[300], names[599]]) t.match(body, name)
  t.notMatch(body, 'OTHER')
  t.equal((await keep(['a'], first)).statusCode, 422, 'a selection can be extended once')
  t.equal((await keep(['a'], 'nothing')).statusCode, 422)
})

t.test('a client cannot extend the selection of another network, or exceed the size limit', async (t) => {
  const selections = createKeptSelections(() => 0)
  const other = selections.keep('a', 'other')
  t.throws(() => selections.keep('b', 'me', other), { code: 'request.value' })
  t.equal(selections.find(other), 'a')
  let own = selections.keep('x'.repeat(1024 ** 2), 'me')
  for (let n = 0; n < 2; n++) own = selections.keep('x'.repeat(1024 ** 2), 'me', own)
  t.throws(() => selections.keep('x'.repeat(1024 ** 2), 'me', own), { code: 'request.large' })
  t.equal(selections.find(own).length, 3 * 1024 ** 2 + 2, 'the stored selection stays')
})

t.test(
  'a client that stores too many selections loses its own oldest ones, not those of others',
  async (t) => {
    const selections = createKeptSelections(() => 0)
    const other = selections.keep('a', 'other')
    const files = 'x'.repeat(1024 ** 2)
    const ids = Array.from({ length: 6 }, () => selections.keep(files, 'eager'))
    t.throws(() => selections.find(ids[0] as string), { code: 'request.value' })
    t.equal(selections.find(ids[5] as string), files)
    t.equal(selections.find(other), 'a')
    const flood = () => {
      for (let n = 0; n < 100; n++) selections.keep(files, `network ${n}`)
    }
    t.throws(flood, { code: 'server.busy' })
  },
)
