import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { runCommand, startInstance } from '#src/testing/instance.ts'
import { run as runProgram } from '#src/testing/program.ts'

/** Starts the server on a new folder. Returns it with a function that runs commands. */
async function instance(t: Test) {
  const folder = t.testdir({ files: {} })
  const root = join(folder, 'files')
  const server = await startInstance(root, 'correct horse battery')
  const coffer = (...words: string[]) => runCommand(root, words)
  t.teardown(() => server.close())
  const file = [`${root}.coffer.d`, `${root}.d`].map((one) => join(one, 'history.db')).find(existsSync) ?? ''
  return { root, file, coffer, server }
}

t.test('coffer audit verifies the log, while the server runs and while it does not', async (t) => {
  const { root, file, coffer, server } = await instance(t)
  const head = await coffer('audit', 'head')
  t.match(head, /^1:[0-9a-f]{64}$/)
  await coffer('users', 'add', 'bob', 'a long enough phrase')
  const running = await coffer('audit', 'verify', '--head', head)
  t.match(running, /^2 records were verified, from 1 on\.\nThe given head is in the log\.\nHead: 2:/)
  await server.close()
  t.match(await coffer('audit', 'verify', '--head', head), /^4 records were verified/)
  const report = JSON.parse(await coffer('audit', 'verify', '--json'))
  t.match(report, { records: 5, first: 1, head: { seq: 5 } })
  for (const wrong of ['x', `0:${'f'.repeat(63)}`, head.slice(1)])
    await t.rejects(coffer('audit', 'verify', '--head', wrong), {
      name: 'StartupProblem',
      message: /--head must be/,
    })
  await t.rejects(coffer('audit', 'verify', '--head', `9:${'f'.repeat(64)}`), {
    name: 'CommandProblem',
    message: /^The record 9 with the given head is missing/,
  })
  const db = new DatabaseSync(file)
  db.exec(`UPDATE audit SET detail = 'coffer users add: eve' WHERE kind = 'users'`)
  db.close()
  await t.rejects(coffer('audit', 'verify'), {
    name: 'CommandProblem',
    message: /^Record 2, .* was changed\.$/,
  })
  const { said, ended } = runProgram(
    t,
    'audit',
    'export',
    '--kind',
    'users',
    '--format',
    'ndjson',
    '--root',
    root,
  )
  t.equal(await ended, 0)
  t.match(JSON.parse(said()), { seq: 2, user: 'command', detail: 'coffer users add: eve' })
  await t.rejects(coffer('audit', 'export', '--format', 'xml'), { name: 'StartupProblem' })
  await t.rejects(coffer('audit', 'export', '--from', 'never'), { message: /is not a time/ })
})
