import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hashSync } from 'bcryptjs'
import t, { type Test } from 'tap'
import { loadConfig } from '#src/config/load.ts'
import { createLog } from '#src/core/log/log.ts'
import { password, run, serve, signIn } from '#src/testing/program.ts'
import { hasTerminal, runInTerminal, serveInTerminal } from '#src/testing/terminal.ts'
import { exchange, until } from '#src/testing/wire.ts'
import { setupNotice } from './first-run.ts'
import { start } from './main.ts'

function createRoot(t: Test) {
  const base = t.testdir({ root: {} })
  return { base, root: join(base, 'root') }
}

const codeIn = (said: string) => / the code (\S+) /.exec(said)?.[1] ?? ''
const passwordIn = (said: string) => / password (\S+) /.exec(said)?.[1]
const stateIn = (root: string) => JSON.parse(readFileSync(`${root}.coffer.json`, 'utf8'))

/** Calls the API of a server with a JSON body. */
const call = (port: number, method: string, path: string, body: object, token = '') =>
  exchange(port, method, path, { body: JSON.stringify(body), headers: { 'x-auth': token } })

t.test('without a terminal, the first start prints a code for the set-up page and no password', async (t) => {
  const { base, root } = createRoot(t)
  const first = await serve(t, root)
  t.match(
    first.said(),
    new RegExp(
      `^Coffer has no administrator yet\\. Open http://127\\.0\\.0\\.1:${first.port}/setup and enter the code ` +
        '[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4} \\(valid until the next start\\)\\.$',
      'm',
    ),
  )
  t.equal(passwordIn(first.said()), undefined)
  t.strictSame(stateIn(root).users, {})
  const code = codeIn(first.said())
  t.notMatch(readFileSync(`${root}.coffer.json`, 'utf8'), code)
  first.child.kill('SIGKILL')
  await first.ended

  const second = await serve(t, root)
  t.not(codeIn(second.said()), code, 'each start prints another code')
  const account = { username: 'admin', password }
  t.equal((await call(second.port, 'POST', '/api/setup', { code, ...account })).status, 403)
  const reply = await call(second.port, 'POST', '/api/setup', { code: codeIn(second.said()), ...account })
  t.equal(reply.status, 200, reply.body)
  second.child.kill('SIGTERM')
  t.equal(await second.ended, 0)

  const third = await serve(t, root)
  t.equal(codeIn(third.said()), '')
  t.ok(await signIn(third.port))
  const own = ['root.coffer.d', 'root.coffer.json', 'root.coffer.json.bak', 'root.coffer.json.spare']
  t.strictSame(readdirSync(base).sort(), ['root', ...own, 'web'])
})

/** Starts the server in this process and stops it. Returns what it has printed. */
async function startOnce(root: string, words: readonly string[], isTerminal = false): Promise<string> {
  const said: string[] = []
  const config = await loadConfig(['--root', root, '--port', '0', ...words], {})
  const log = createLog({ target: '', format: 'text' })
  const server = await start(config, { log, print: (line) => void said.push(line), isTerminal })
  await server.close()
  return said.join('\n')
}

t.test('a start that needs no set-up page ends the wait for the set-up', async (t) => {
  for (const [words, isTerminal, printed] of [
    [['--noauth'], false, undefined],
    [['--password', password], false, undefined],
    [['--auth-header', 'X-Remote-User', '--trusted-proxy', '127.0.0.1'], false, /password nobody knows/],
    [['--auth-header', 'X-Remote-User', '--trusted-proxy', '127.0.0.1'], true, /password nobody knows/],
    [[], true, /password \S+ /],
  ] as const) {
    const { root } = createRoot(t)
    t.ok(codeIn(await startOnce(root, [])), words.join(' '))
    t.strictSame(stateIn(root).users, {})
    const said = await startOnce(root, words, isTerminal)
    t.equal(codeIn(said), '')
    if (printed) t.match(said, printed)
    t.match(stateIn(root).users, { 1: { username: 'admin', perm: { admin: true } } })
    t.equal(stateIn(root).users[1].mustChangePassword, printed && true)
    t.notOk(stateIn(root).unprinted)
    t.equal(codeIn(await startOnce(root, [])), '')
  }
})

t.test('an administrator never takes the name of another user', async (t) => {
  const { root } = createRoot(t)
  await startOnce(root, ['--password', password, '--username', 'Ann'])
  const state = stateIn(root)
  state.users[1].perm.admin = false
  writeFileSync(`${root}.coffer.json`, JSON.stringify(state))
  await t.rejects(startOnce(root, ['--noauth', '--username', 'ann']), {
    name: 'StartupProblem',
    message: 'There is no administrator, and the user name "ann" is taken: set --username to another name.',
  })
  t.match(stateIn(root).users, { 1: { username: 'Ann', perm: { admin: false } } })
  await startOnce(root, ['--noauth', '--username', 'root'])
  t.match(stateIn(root).users, { 2: { username: 'root', perm: { admin: true } } })
})

t.test('the address of the set-up page can be opened in a browser', async (t) => {
  const config = { baseUrl: '/sub' } as Parameters<typeof setupNotice>[1]
  for (const [url, place] of [
    ['http://127.0.0.1:8080/sub/', 'http://127.0.0.1:8080/sub/setup'],
    ['https://0.0.0.0:80/sub/', 'https://localhost:80/sub/setup'],
    ['http://[::]:80/sub/', 'http://localhost:80/sub/setup'],
    ['http://[::1]:80/sub/', 'http://[::1]:80/sub/setup'],
    ['unix:/run/coffer/s/sub', 'the page /sub/setup'],
  ] as const)
    t.ok(setupNotice(url, config, 'CODE').includes(`Open ${place} and enter the code CODE `), place)
})

const inTerminal = hasTerminal
  ? {}
  : { skip: 'this system has no script (package bsdutils) to make a terminal' }

t.test('in a terminal, the first start prints a password that must be changed', inTerminal, async (t) => {
  const { root } = createRoot(t)
  const first = await serveInTerminal(t, root)
  const generated = passwordIn(first.said()) ?? ''
  t.match(generated, /^[\w-]{16,}$/)
  t.equal(first.said().split(generated).length, 2)
  const token = await signIn(first.port, generated)
  const list = () => exchange(first.port, 'GET', '/api/resources/', { headers: { 'x-auth': token } })
  t.match(await list(), { status: 403, body: /this password must be changed first/ })
  const change = { what: 'user', which: ['password'], data: { id: 1, password } }
  t.equal((await call(first.port, 'PUT', '/api/users/1', change, token)).status, 200)
  t.equal((await list()).status, 200)
  first.kill('SIGTERM')
  await first.ended
  t.equal(statSync(`${root}.coffer.json`).mode & 0o777, 0o600)
  t.equal(statSync(`${root}.coffer.d`).mode & 0o777, 0o700)
  t.notMatch(readFileSync(`${root}.coffer.json`, 'utf8'), generated)
  const second = await serveInTerminal(t, root)
  t.equal(passwordIn(second.said()), undefined)
  t.ok(await signIn(second.port))
})

t.test('a first start that is stopped has printed its password or leaves no files', inTerminal, async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { base, root } = createRoot(t)
    const first = await runInTerminal(t, '--root', root, '--port', '0')
    await until(() => existsSync(`${root}.coffer.json.new`) || existsSync(`${root}.coffer.json`))
    first.kill(signal)
    await first.ended
    const left = readdirSync(base).filter((name) => name.startsWith('root.'))
    if (passwordIn(first.said()) === undefined) t.strictSame(left, [], first.said())
    else t.ok(left.includes('root.coffer.json'))
  }
})

t.test('the next start replaces a first password that was not printed', inTerminal, async (t) => {
  const { root } = createRoot(t)
  const first = await runInTerminal(t, '--root', root, '--port', '0')
  await until(() => existsSync(`${root}.coffer.json`))
  first.kill('SIGKILL')
  await first.ended
  const second = await serveInTerminal(t, root)
  const printed = passwordIn(second.said()) ?? passwordIn(first.said()) ?? ''
  t.ok(await signIn(second.port, printed), first.said() + second.said())
  second.kill('SIGTERM')
  await second.ended
  const state = () => stateIn(root)
  t.notOk(state().unprinted)
  t.equal(state().users[1].mustChangePassword, true)
  const mark = async (hash: string) => {
    const { mustChangePassword: _, ...user } = state().users[1]
    const marked = { ...state(), users: { 1: user }, unprinted: { id: 1, hash } }
    writeFileSync(`${root}.coffer.json`, JSON.stringify(marked))
    const service = await serve(t, root)
    service.child.kill('SIGTERM')
    await service.ended
    t.equal(passwordIn(service.said().replace(/^The generated password .*$/m, '')), undefined, 'not in a log')
    const program = await serveInTerminal(t, root)
    program.kill('SIGTERM')
    await program.ended
    t.notOk(state().unprinted)
    return passwordIn(program.said())
  }
  const generated = await mark(state().credentials.passwords[1])
  t.ok(generated)
  t.not(generated, printed)
  t.equal(state().users[1].mustChangePassword, true)
  t.equal(await mark('the hash of a password that was changed since'), undefined)
  const last = await serve(t, root)
  t.ok(await signIn(last.port, generated))
})

t.test('warns about a common password of the first administrator', async (t) => {
  for (const [word = '', reason] of [
    ['admin', 'too short, minimum length is 12'],
    ['admin1234567', 'too easy to guess'],
    ['P@ssw0rd1234', 'too easy to guess'],
    ['ann-of-green-gables!', 'too easy to guess'],
  ]) {
    const root = join(t.testdir({ root: {} }), 'root')
    const { port, said, child, ended } = await serve(
      t,
      root,
      ...['--username', 'ann-of-green-gables', `--password=${word}`],
    )
    t.match(said(), new RegExp(`^The password is ${reason}\\. Change it after the first sign-in\\.$`, 'm'))
    t.notMatch(said().split(' at http')[0], `${word}.`)
    const body = JSON.stringify({ username: 'ann-of-green-gables', password: word })
    t.equal((await exchange(port, 'POST', '/api/login', { body })).status, 200)
    child.kill('SIGTERM')
    await ended
  }
  const { port, said } = await serve(t, join(t.testdir({ root: {} }), 'root'), '--password', password)
  t.notMatch(said(), /The password/)
  t.ok(await signIn(port))
})

t.test('warns about a common password before hashing it', async (t) => {
  t.testdir()
  for (const word of ['admin', 'password12345', '1q2w3e4r5t6y']) {
    const program = run(t, 'hash', word)
    t.equal(await program.ended, 0)
    t.match(program.said(), /^The password is too [^.]+\.$/m)
    t.match(program.said(), /^\$argon2id\$/m)
  }
})

t.test('accepts a hash from coffer hash as the first password', async (t) => {
  const root = join(t.testdir({ root: {} }), 'root')
  const hashRun = run(t, 'hash', password)
  t.equal(await hashRun.ended, 0)
  const { port } = await serve(t, root, '--password', hashRun.said().trim())
  t.ok(await signIn(port))
})

t.test('accepts a bcrypt hash as the first password, as File Browser did, but no unusable one', async (t) => {
  const root = join(t.testdir({ root: {} }), 'root')
  const hash = hashSync(password, 4)
  const refused = run(t, '--root', root, '--password', hash.replace('$04$', '$31$'))
  t.equal(await refused.ended, 2)
  t.match(
    refused.said(),
    /^The hash of --password cannot be used, because its bcrypt cost 31 .* coffer hash\.\n$/,
  )
  t.strictSame(readdirSync(dirname(root)).sort(), ['root', 'web'], 'its text is not the password')
  const { port } = await serve(t, root, '--password', hash)
  t.ok(await signIn(port))
})

t.test('ignores the first password after the first start', async (t) => {
  const root = join(t.testdir({ root: {} }), 'root')
  const first = await serve(t, root, '--password', password)
  first.child.kill('SIGTERM')
  await first.ended
  const { port } = await serve(t, root, '--password', 'admin')
  t.ok(await signIn(port), 'it does not replace the current one either')
})
