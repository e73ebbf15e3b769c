import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { password, run, serve, signIn } from './testing/program.ts'

t.test('the first administrator may not have a password that everybody tries', async (t) => {
  const root = join(t.testdir({ root: {} }), 'root')
  for (const [word, reason] of [
    ['admin', 'too short, minimum length is 12'],
    ['admin1234567', 'too easy to guess'],
    ['P@ssw0rd1234', 'too easy to guess'],
    ['ann-of-green-gables!', 'too easy to guess'],
  ]) {
    const program = run(
      t,
      '--root',
      root,
      '--port',
      '0',
      '--username',
      'ann-of-green-gables',
      `--password=${word}`,
    )
    t.equal(await program.ended, 2)
    t.match(
      program.said(),
      new RegExp(`^The password is ${reason}.*: give another with --password, or none .*\\.\\n$`),
    )
    t.notOk(existsSync(`${root}.coffer.json`), 'and nothing was begun')
  }
  const { port } = await serve(t, root, '--password', password)
  t.ok(await signIn(port))
})

t.test('nor is a hash made of one', async (t) => {
  t.testdir()
  for (const word of ['admin', 'password12345', '1q2w3e4r5t6y']) {
    const program = run(t, 'hash', word)
    t.equal(await program.ended, 2)
    t.match(program.said(), /^The password is too .*: choose another\.\n$/)
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
