import { mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { unconditional } from '#src/core/problem.ts'
import { openJail } from '#src/files/jail/jail.ts'
import { rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { openTempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { openDraft } from '#src/files/writing/write.ts'
import { noChanges } from './change.ts'

t.test('a request that only reads cannot write a file', async (t) => {
  const root = join(realpathSync(t.testdir({ root: {}, parts: {} })), 'root')
  mkdirSync(join(root, 'd'))
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [] })
  const parts = await openTempFileJournal(join(root, '../parts'))
  const context = { jail, parts, locks: createKeyedLock(), change: noChanges }
  const how = { overwrite: true, recheck: unconditional, fileMode: 0o640, dirMode: 0o750 }
  const write = async () => {
    await using draft = await openDraft(context, '/d/a.txt' as UserPath, how)
    await draft.fill((file) => file.writeFile('a'))
    await draft.commit()
  }
  await t.rejects(write(), { message: 'files can only be changed in an operation' })
  t.strictSame(readdirSync(join(root, 'd')), [])
  await parts.close()
})
