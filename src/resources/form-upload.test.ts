import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { formOf as form, formSender } from '#src/testing/forms.ts'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'

async function open(t: import('tap').Test) {
  const made = await start(t, { tree: { 'a.txt': 'old', dir: {} } })
  const call = await made.as('admin')
  const post = formSender(call)
  return { ...made, call, post, read: (path: string) => readFileSync(`${made.root}${path}`, 'utf8') }
}

t.test("a form uploads each of its files into the folder, under the file's own name", async (t) => {
  const { post, read } = await open(t)
  const reply = await post('/api/resources/dir/', form(['x.txt', 'X'], ['y.txt', 'Y']))
  t.match(reply, { statusCode: 200, body: '200 OK\n' })
  t.equal(read('/dir/x.txt') + read('/dir/y.txt'), 'XY')
  t.equal(
    (await post('/api/resources/new/deep/', form(['z.txt', 'Z']))).statusCode,
    200,
    'missing folders are created',
  )
  t.equal(read('/new/deep/z.txt'), 'Z')
})

t.test('a form can upload one file to the path in the URL', async (t) => {
  const { post, read } = await open(t)
  t.equal((await post('/api/resources/dir/b.txt', form(['whatever.txt', 'B']))).statusCode, 200)
  t.equal(read('/dir/b.txt'), 'B')
  t.equal((await post('/api/resources/dir/c.txt', form(['1', '1'], ['2', '2']))).statusCode, 400)
})

t.test('a field mtime before a file in a form is the date of that file', async (t) => {
  const { post, root } = await open(t)
  const before = Date.now() - 10_000
  const dated = form(['x.txt', 'X', '1700000000123'], ['now.txt', 'N'], ['z.txt', 'Z', '0'])
  t.equal((await post('/api/resources/dir/', dated)).statusCode, 200)
  t.equal(statSync(`${root}/dir/x.txt`).mtimeMs, 1_700_000_000_123)
  t.equal(statSync(`${root}/dir/z.txt`).mtimeMs, 0)
  t.ok(statSync(`${root}/dir/now.txt`).mtimeMs > before, 'a date is for one file only')
  t.equal((await post('/api/resources/dir/', form(['b.txt', 'B', 'today']))).statusCode, 400)
  t.notOk(existsSync(`${root}/dir/b.txt`))
})

t.test('each file of a large form can have a date', async (t) => {
  const { post, root } = await open(t)
  const files = Array.from({ length: 300 }, (_, n): [string, string, string] => [
    `${n}.txt`,
    '',
    `${n + 1}000`,
  ])
  t.equal((await post('/api/resources/dir/', form(...files))).statusCode, 200)
  t.equal(statSync(`${root}/dir/299.txt`).mtimeMs, 300_000)
})

t.test('a form replaces a file only with override', async (t) => {
  const { post, read } = await open(t)
  t.equal((await post('/api/resources/', form(['a.txt', 'new']))).statusCode, 409)
  t.equal(read('/a.txt'), 'old')
  t.equal((await post('/api/resources/?override=true', form(['a.txt', 'new']))).statusCode, 200)
  t.equal(read('/a.txt'), 'new')
})

t.test('file names in a form cannot leave the folder', async (t) => {
  const { post, root, base } = await open(t)
  for (const name of ['../../evil.txt', '/etc/evil.txt', '..'])
    await post('/api/resources/dir/', form([name, 'E']))
  t.notOk(readdirSync(base).includes('evil.txt'))
  t.strictSame(readdirSync(`${root}/dir`), ['evil.txt'])
  t.notOk(readdirSync(root).includes('evil.txt'))
})

t.test('rejects a form without a file and a truncated form, and leaves no files', async (t) => {
  const { post, call, root } = await open(t)
  t.equal((await post('/api/resources/dir/', form())).statusCode, 400)
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const cut = '--x\r\nContent-Disposition: form-data; name="f"; filename="cut.txt"\r\n\r\nhalf of'
  const reply = await call('POST', '/api/resources/dir/', { payload: cut, headers })
  t.ok(reply.statusCode >= 400 && reply.statusCode < 500, reply.body)
  t.strictSame(readdirSync(`${root}/dir`), [])
})

t.test('rejects a body that is not a form, with a message', async (t) => {
  const { call, root } = await open(t)
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  for (const payload of ['hello', '', '--x', '--x\r\n', '--x--', '--x\r\n\r\n\r\n--x', '\0'.repeat(1000)]) {
    for (const path of ['dir/', 'dir/new.txt', 'a.txt/below.txt']) {
      const { statusCode, body } = await call('POST', `/api/resources/${path}`, { payload, headers })
      t.match(
        { statusCode, body },
        { statusCode: 400, body: /^400 Bad Request \(body: / },
        JSON.stringify(payload),
      )
    }
  }
  t.strictSame(readdirSync(`${root}/dir`), [])
})

t.test('curl uploads files with special characters in their names by form', async (t) => {
  const { app, login, root, base } = await open(t)
  const token = await login('admin')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  // curl treats ; and , and a trailing space in a file name specially. It escapes quotes and backslashes as browsers
  // do.
  const names = hostileNames.filter((name) => !/[;,"\\]| $/.test(name))
  for (const name of names) writeFileSync(`${base}/${name}`, name)
  const args = names.flatMap((name) => ['-F', `file=@${base}/${name}`])
  const url = `http://127.0.0.1:${port}/api/resources/dir/`
  const { stdout } = await promisify(execFile)('curl', ['-s', '-H', `X-Auth: ${token}`, ...args, url])
  t.equal(stdout, '200 OK\n')
  t.strictSame(readdirSync(`${root}/dir`).sort(), [...names].sort())
})
