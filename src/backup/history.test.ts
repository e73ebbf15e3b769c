import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { entriesOf } from '#src/testing/backups.ts'
import { runCommand, startInstance } from '#src/testing/instance.ts'
import { cheapHash } from '#src/testing/start.ts'

/** Starts the server on a new folder. Returns it with a function that runs commands. */
async function instance(t: Test, folder: string) {
  const root = join(folder, 'files')
  mkdirSync(root, { recursive: true })
  const server = await startInstance(root, cheapHash)
  const coffer = (...words: string[]) => runCommand(root, words, Readable.from(['a long enough phrase\n']))
  t.teardown(() => server.close())
  const names = () => globSync(`${root}.coffer.d/history.db*`).map((file) => file.split('/').at(-1))
  return { server, coffer, names }
}

t.test('the history moves to another machine with a backup, and stays where it is the same', async (t) => {
  const base = t.testdir({})
  const file = join(base, 'backup.tar')
  const first = await instance(t, join(base, 'one'))
  await first.coffer('users', 'add', 'bob')
  const head = await first.coffer('audit', 'head')
  await first.coffer('backup', file, '--with-history')
  t.strictSame(
    (await entriesOf(readFileSync(file))).map(({ name }) => name).filter((name) => /history/.test(name)),
    ['history/head.json', 'history/history.db'],
  )
  await first.coffer('users', 'add', 'ann')
  t.match(await first.coffer('restore', file), /the present one stays/)
  t.match(await first.coffer('audit', 'verify', '--head', head), /The given head is in the log/)
  await first.server.close()

  const second = await instance(t, join(base, 'two'))
  t.match(await second.coffer('restore', '--dry-run', file), /the next start uses the one of the backup/)
  t.notOk(second.names().includes('history.db.restored'))
  await second.coffer('restore', file)
  t.ok(second.names().includes('history.db.restored'), 'nothing changes while the server runs')
  await t.rejects(second.coffer('audit', 'verify', '--head', head), /is missing/)
  await second.server.close()
  t.match(await second.coffer('audit', 'verify', '--head', head), /The given head is in the log/)
  t.notOk(second.names().includes('history.db.restored'))
  t.ok(
    second.names().some((name) => name?.startsWith('history.db.replaced-')),
    'the history before is still there',
  )
})
