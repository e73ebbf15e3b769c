import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { password, run, serve, signIn } from '#src/testing/program.ts'

/** A folder to serve, and a port on which another server listens. */
async function createRoot(t: Test) {
  const base = t.testdir({ root: {}, web: { dist: { 'index.html': '' } } })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { base, root: join(base, 'root'), taken: String(port) }
}

const allNames = (base: string) => readdirSync(base, { recursive: true }).map(String).sort()

t.test('a failed first start leaves no files and prints no code', async (t) => {
  const { base, root, taken } = await createRoot(t)
  const before = allNames(base)
  const refused = [
    { words: ['--port', taken, '--database', join(base, 'new/deep/state.json')], says: /is in use/ },
    { words: ['--port', '0', '--username', '..'], says: /^The user name/ },
  ]
  for (const { words, says } of refused) {
    const program = run(t, '--root', root, ...words)
    t.equal(await program.ended, 2, words.join(' '))
    t.match(program.said(), says)
    t.notMatch(program.said(), /enter the code/)
    t.strictSame(allNames(base), before)
  }
  const served = await serve(t, root)
  t.match(served.said(), /enter the code/, 'the first start that serves prints the code')
})

t.test('a failed start keeps folders that existed before', async (t) => {
  const { base, root, taken } = await createRoot(t)
  mkdirSync(join(base, 'kept/state.d/cache'), { recursive: true })
  writeFileSync(join(base, 'kept/state.d/cache/picture'), 'x')
  const before = allNames(base)
  const database = join(base, 'kept/state.json')
  t.equal(await run(t, '--root', root, '--port', taken, '--database', database).ended, 2)
  t.strictSame(allNames(base), before)
})

t.test('a failed start of an existing instance keeps its state', async (t) => {
  const { base, root, taken } = await createRoot(t)
  const first = await serve(t, root, '--password', password)
  first.child.kill('SIGTERM')
  await first.ended
  const state = readFileSync(`${root}.coffer.json`)
  const before = allNames(base)
  t.equal(await run(t, '--root', root, '--port', taken).ended, 2)
  t.strictSame(readFileSync(`${root}.coffer.json`), state)
  t.strictSame(allNames(base), before)
  const again = await serve(t, root)
  t.ok(await signIn(again.port))
})
