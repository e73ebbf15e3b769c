import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { formOf as form, formSender } from '#src/testing/forms.ts'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'

async function open(t: import('tap').Test, name = 'admin') {
  const made = await start(t, {
    tree: { 'a.txt': 'old', dir: {} },
    people: { bob: { perm: { create: true } } },
  })
  const call = await made.as(name)
  const post = formSender(call)
  return { ...made, call, post, read: (path: string) => readFileSync(`${made.root}${path}`, 'utf8') }
}

t.test('one request uploads many files into a folder and the folders below it', async (t) => {
  const { post, read } = await open(t)
  const names = Array.from({ length: 100 }, (_, n) => `day%20${n % 7}/a%23${n}.txt`)
  const reply = await post('/api/upload/dir/', form(...names.map((name) => [name, name] as [string, string])))
  t.equal(reply.statusCode, 200)
  const results: { path: string; status: number; etag: string }[] = reply.json()
  t.strictSame(
    results.map(({ path, status }) => [path, status]),
    names.map((name) => [name, 200]),
  )
  for (const name of names) t.equal(read(`/dir/${decodeURIComponent(name)}`), name)
  t.ok(results.every(({ etag }) => etag.startsWith('"')))
})

t.test('each of many files keeps its own date', async (t) => {
  const { post, root } = await open(t)
  const before = Date.now() - 10_000
  const names = Array.from({ length: 99 }, (_, n) => `${n}.txt`)
  const files = names.map((name, n) => [name, name, String(1_700_000_000_000 + n)] as const)
  const wrong = ['wrong.txt', 'x', 'today'] as const
  const results = (await post('/api/upload/dir/', form(...files, wrong))).json()
  t.match(results.at(-1), { status: 400, code: 'request.invalid' })
  for (const [n, name] of names.entries())
    t.equal(statSync(`${root}/dir/${name}`).mtimeMs, 1_700_000_000_000 + n, name)
  await post('/api/upload/dir/', form(['large.txt', 'x'.repeat(100_000), '1700000000123'], ['now.txt', 'x']))
  t.equal(statSync(`${root}/dir/large.txt`).mtimeMs, 1_700_000_000_123)
  t.ok(statSync(`${root}/dir/now.txt`).mtimeMs > before, 'a date is for one file only')
})

t.test('a refused file of many changes nothing, and the others are uploaded', async (t) => {
  const { post, read, root } = await open(t)
  const files = form(
    ['a.txt', 'new'],
    ['b.txt', 'B'],
    ['dir', 'x'],
    ['a.txt/below', 'x'],
    ['c/', 'x'],
    ['%ff', 'x'],
  )
  const reply = await post('/api/upload/', files)
  t.strictSame(
    reply.json().map(({ path, status, code }: Record<string, unknown>) => [path, status, code]),
    [
      ['a.txt', 409, 'path.exists'],
      ['b.txt', 200, undefined],
      ['dir', 409, 'path.exists'],
      ['a.txt/below', 409, 'path.exists'],
      ['c/', 400, 'request.invalid'],
      ['%ff', 400, 'path.invalid'],
    ],
  )
  t.equal(read('/a.txt') + read('/b.txt'), 'oldB')
  t.strictSame(readdirSync(root).sort(), ['a.txt', 'b.txt', 'dir'])
})

t.test(
  'a batch replaces files only with override, and the conditions of the request apply to each',
  async (t) => {
    const { post, read } = await open(t)
    const [{ etag }] = (await post('/api/upload/?override=true', form(['a.txt', 'new']))).json()
    t.equal(read('/a.txt'), 'new')
    const refused = await post('/api/upload/?override=true', form(['a.txt', 'x']), { 'if-match': '"other"' })
    t.match(refused.json(), [{ status: 412 }])
    await post('/api/upload/?override=true', form(['a.txt', 'newer']), { 'if-match': etag })
    t.equal(read('/a.txt'), 'newer')
  },
)

t.test('an empty file whose name ends with a slash creates a folder', async (t) => {
  const { post, root } = await open(t)
  const reply = await post('/api/upload/dir/', form(['new/deep/', ''], ['new/a.txt', 'A'], ['../dir/', '']))
  t.match(reply.json(), [{ status: 200 }, { status: 200 }, { status: 200 }])
  t.strictSame(readdirSync(`${root}/dir/new`).sort(), ['a.txt', 'deep'])
  t.strictSame(readdirSync(`${root}/dir/dir`), [], 'a path does not leave the folder')
  const again = await post('/api/upload/', form(['dir/', ''], ['a.txt/', '']))
  t.match(again.json(), [{ status: 200 }, { status: 409, code: 'path.exists' }], 'also one that exists')
})

t.test('the files after a refused one are uploaded, however long it is', async (t) => {
  const { post, read } = await open(t)
  const long = 'x'.repeat(3_000_000)
  const refused: [string, string][] = [
    ['folder/', long],
    ['a.txt', long],
    ['%ff', long],
    ['..', long],
  ]
  const files = refused.flatMap((file, n): [string, string][] => [file, [`after ${n}.txt`, long]])
  const reply = await post('/api/upload/dir/../', form(...files, ['last.txt', 'last']))
  t.strictSame(
    reply.json().map(({ status }: { status: number }) => status),
    [400, 200, 409, 200, 400, 200, 400, 200, 200],
  )
  t.ok(read('/after 3.txt') === long)
  t.equal(read('/last.txt'), 'last')
})

t.test('of two files with one path in a batch, only the first is uploaded', async (t) => {
  const { post, read } = await open(t)
  const reply = await post(
    '/api/upload/?override=true',
    form(['x.txt', '1'], ['/x.txt', '2'], ['d/../x.txt', '3']),
  )
  t.match(reply.json(), [{ status: 200 }, { status: 400 }, { status: 400 }])
  t.equal(read('/x.txt'), '1')
})

t.test('paths of a batch cannot leave the folder, however they are spelled', async (t) => {
  const { post, base, root } = await open(t)
  const evil = [
    '../evil.txt',
    '..%2fevil.txt',
    '%2e%2e/evil.txt',
    '/../../evil.txt',
    'x/../../../evil.txt',
    '..\\evil.txt',
  ]
  for (const name of evil) await post('/api/upload/dir/?override=true', form([name, 'E']))
  t.notOk(readdirSync(base).some((name) => name.includes('evil')))
  t.notOk(readdirSync(root).some((name) => name.includes('evil')))
  for (const name of ['', '.', '..', '/']) {
    const reply = await post('/api/upload/dir/', form([name, 'E']))
    t.ok(reply.statusCode === 400 || reply.json()[0].status === 400, name)
  }
})

t.test('a batch accepts every name that a single upload accepts', async (t) => {
  const { post, read } = await open(t)
  const files = hostileNames.map((name): [string, string] => [encodeURIComponent(name), name])
  const reply = await post('/api/upload/dir/', form(...files))
  t.ok(
    reply.json().every(({ status }: { status: number }) => status === 200),
    reply.body,
  )
  for (const name of hostileNames) t.equal(read(`/dir/${name}`), name)
})

t.test('large files and small files may be mixed in a batch', async (t) => {
  const { post, read } = await open(t)
  const files = Array.from({ length: 40 }, (_, n): [string, string] => [
    `${n}.bin`,
    String(n).repeat(n % 3 === 0 ? 700_000 : 10),
  ])
  await post('/api/upload/dir/', form(...files))
  for (const [name, content] of files) t.ok(read(`/dir/${name}`) === content, name)
})

t.test('a damaged batch is refused; complete files before the damage stay and no half file', async (t) => {
  const { post, call, read, root } = await open(t)
  t.equal((await post('/api/upload/dir/', form())).statusCode, 400)
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const part = (name: string, rest: string) =>
    `--x\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${rest}`
  const payload = `${part('whole.txt', 'whole\r\n')}${part('cut.txt', 'half of')}`
  const reply = await call('POST', '/api/upload/dir/', { payload, headers })
  t.ok(reply.statusCode >= 400 && reply.statusCode < 500, reply.body)
  t.notOk(readdirSync(`${root}/dir`).includes('cut.txt'))
  t.ok(readdirSync(`${root}/dir`).every((name) => name === 'whole.txt' && read('/dir/whole.txt') === 'whole'))
  for (const type of ['text/plain', 'multipart/form-data', 'application/json']) {
    const { statusCode } = await call('POST', '/api/upload/dir/', {
      payload: '{}',
      headers: { 'content-type': type },
    })
    t.ok(statusCode >= 400 && statusCode < 500, `${type}: ${statusCode}`)
  }
})

t.test('a connection that is cut in the middle of a batch leaves only whole files', async (t) => {
  const { app, call, login, root } = await open(t)
  const token = await login('admin')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const content = 'x'.repeat(5000)
  const parts = Array.from(
    { length: 50 },
    (_, n) =>
      `--x\r\nContent-Disposition: form-data; name="f"; filename="cut/${n}.txt"\r\n\r\n${content}\r\n`,
  )
  const type = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 1_000_000 }
  const sending = request({
    host: '127.0.0.1', // a name has several addresses, of which each gets only a short time to connect
    port,
    method: 'POST',
    path: '/api/upload/',
    headers: { 'x-auth': token, ...type },
  })
  sending.on('error', () => undefined)
  sending.write(
    `${parts.join('')}--x\r\nContent-Disposition: form-data; name="f"; filename="half.txt"\r\n\r\nhalf`,
  )
  const cut = `${root}/cut`
  // A temporary file has another name: it is no file yet.
  const isWhole = (name: string) => /^\d+\.txt$/.test(name)
  await until(() => existsSync(cut) && readdirSync(cut).filter(isWhole).length >= 10)
  sending.destroy()
  await until(async () => (await call('GET', '/api/operations')).json()[0]?.state === 'done')
  const names = readdirSync(cut)
  t.ok(names.length > 0)
  t.ok(
    names.every((name) => readFileSync(`${cut}/${name}`, 'utf8') === content),
    'also no temporary file',
  )
  t.strictSame(readdirSync(root).sort(), ['a.txt', 'cut', 'dir'])
})

t.test('a batch has at most 100 files', async (t) => {
  const { post, root } = await open(t)
  const files = (count: number) => Array.from({ length: count }, (_, n): [string, string] => [`${n}.txt`, ''])
  t.equal((await post('/api/upload/dir/', form(...files(100)))).json().length, 100)
  const reply = await post('/api/upload/new/', form(...files(101)))
  t.match(reply, { statusCode: 400, body: /more than 100 files/ })
  t.ok(readdirSync(`${root}/new`).length <= 100)
})

t.test('users take turns with the files of their forms, however many forms one of them sends', async (t) => {
  const { post, as, services, root } = await open(t)
  const { entries } = services
  const { upload } = entries
  let most = 0
  const begun: string[] = []
  const running: string[] = []
  entries.upload = async (actor, path, how) => {
    begun.push(actor.user.username)
    running.push(actor.user.username)
    most = Math.max(most, running.filter((name) => name === 'admin').length)
    return upload(actor, path, how).finally(() => running.splice(running.indexOf(actor.user.username), 1))
  }
  const formsOf = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) =>
      form(...Array.from({ length: 20 }, (_, at): [string, string] => [`${name}-${n}-${at}.txt`, name])),
    )
  const bob = formSender(await as('bob'))
  const replies = await Promise.all([
    ...formsOf(30, 'admin').map((one) => post('/api/upload/dir/', one)),
    ...formsOf(1, 'bob').map((one) => bob('/api/upload/dir/', one)),
  ])
  for (const { body } of replies) t.notMatch(body, /"status":[45]/)
  t.equal(readdirSync(`${root}/dir`).length, 31 * 20)
  t.ok(most > 1 && most <= 16, `${most} files of one user at the same time`)
  t.ok(begun.lastIndexOf('bob') < begun.lastIndexOf('admin'), 'the others do not wait for all of them')
})

t.test('undoing a batch removes all of its files and the folders that were made for them', async (t) => {
  const { post, call, root } = await open(t)
  const names = Array.from({ length: 50 }, (_, n) => `new/deep ${n % 5}/${n}.txt`)
  const files = names.map((name): [string, string] => [encodeURI(name), name])
  const reply = await post(
    '/api/upload/',
    form(['dir/1.txt', '1'], ['new/', ''], ['a.txt', 'refused'], ...files),
  )
  const id = reply.headers['x-operation']
  t.ok(id)
  t.equal(readdirSync(`${root}/new`).length, 5)
  t.strictSame((await call('POST', `/api/operations/${id}/undo`)).json().left, [])
  t.strictSame(readdirSync(root).sort(), ['a.txt', 'dir'])
  t.strictSame(readdirSync(`${root}/dir`), [])
})
