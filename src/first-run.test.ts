import { join } from 'node:path'
import t from 'tap'
import { password, run, serve, signIn } from './testing/program.ts'
import { exchange } from './testing/wire.ts'

t.test('who gives the first administrator a password that everybody tries is told so', async (t) => {
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
    t.match(
      said(),
      new RegExp(`^The password is ${reason}\\. Choose another after the first sign-in\\.$`, 'm'),
    )
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

t.test('so is who has a hash made of one', async (t) => {
  t.testdir()
  for (const word of ['admin', 'password12345', '1q2w3e4r5t6y']) {
    const program = run(t, 'hash', word)
    t.equal(await program.ended, 0)
    t.match(program.said(), /^The password is too [^.]+\.$/m)
    t.match(program.said(), /^\$argon2id\$/m)
  }
})

t.test('a hash that coffer made is taken as it is', async (t) => {
  const root = join(t.testdir({ root: {} }), 'root')
  const made = run(t, 'hash', password)
  t.equal(await made.ended, 0)
  const { port } = await serve(t, root, '--password', made.said().trim())
  t.ok(await signIn(port))
})

t.test('a password that was given once is not looked at again', async (t) => {
  const root = join(t.testdir({ root: {} }), 'root')
  const first = await serve(t, root, '--password', password)
  first.child.kill('SIGTERM')
  await first.ended
  const { port } = await serve(t, root, '--password', 'admin')
  t.ok(await signIn(port), 'nor does it replace the one that holds')
})
