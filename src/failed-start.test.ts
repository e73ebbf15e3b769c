import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { run, serve, signIn } from '#src/testing/program.ts'

/** A folder to serve, and a port that somebody else listens on. */
async function ground(t: Test) {
  const base = t.testdir({ root: {}, web: { dist: { 'index.html': '' } } })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { base, root: join(base, 'root'), taken: String(port) }
}

const everything = (base: string) => readdirSync(base, { recursive: true }).map(String).sort()

t.test('a failed first start leaves nothing behind and prints no password', async (t) => {
  const { base, root, taken } = await ground(t)
  const before = everything(base)
  const refused = [
    { words: ['--port', taken, '--database', join(base, 'new/deep/state.json')], says: /is in use/ },
    { words: ['--port', '0', '--username', '..'], says: /^Nobody can be called/ },
  ]
  for (const { words, says } of refused) {
    const program = run(t, '--root', root, ...words)
    t.equal(await program.ended, 2, words.join(' '))
    t.match(program.said(), says)
    t.notMatch(program.said(), /with the password/)
    t.strictSame(everything(base), before)
  }
  const served = await serve(t, root)
  const [, made = ''] = /password (\S+) /.exec(served.said()) ?? []
  t.ok(await signIn(served.port, made), 'the first start that serves prints the password')
})

t.test('a failed start keeps the folders that were there before', async (t) => {
  const { base, root, taken } = await ground(t)
  mkdirSync(join(base, 'kept/state.d/cache'), { recursive: true })
  writeFileSync(join(base, 'kept/state.d/cache/picture'), 'x')
  const before = everything(base)
  const database = join(base, 'kept/state.json')
  t.equal(await run(t, '--root', root, '--port', taken, '--database', database).ended, 2)
  t.strictSame(everything(base), before)
})

t.test('a failed start of an instance that has served before keeps its state', async (t) => {
  const { base, root, taken } = await ground(t)
  const first = await serve(t, root)
  const [, made = ''] = /password (\S+) /.exec(first.said()) ?? []
  first.child.kill('SIGTERM')
  await first.ended
  const state = readFileSync(`${root}.coffer.json`)
  const before = everything(base)
  t.equal(await run(t, '--root', root, '--port', taken).ended, 2)
  t.strictSame(readFileSync(`${root}.coffer.json`), state)
  t.strictSame(everything(base), before)
  const again = await serve(t, root)
  t.ok(await signIn(again.port, made))
})
