import { join } from 'node:path'
import t from 'tap'
import { password, run, serve, signIn } from './testing/program.ts'
import { exchange } from './testing/wire.ts'

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

t.test('ignores the first password after the first start', async (t) => {
  const root = join(t.testdir({ root: {} }), 'root')
  const first = await serve(t, root, '--password', password)
  first.child.kill('SIGTERM')
  await first.ended
  const { port } = await serve(t, root, '--password', 'admin')
  t.ok(await signIn(port), 'it does not replace the current one either')
})
