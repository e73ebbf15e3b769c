import { constants } from 'node:fs'
import { open, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import { flushOpenFolder, isKnownLink, lstatKnown, statOpen } from './local-calls.ts'
import { rootPath } from './user-path.ts'

t.test('an entry has the same stats by its open folder, by its descriptor and by its name', async (t) => {
  const root = t.testdir({ 'a.txt': 'words' })
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [] })
  await using folder = await openPath(jail, rootPath)
  const stats = await lstatKnown(folder, join(folder.address, 'a.txt'))
  t.equal(stats?.size, 5)
  const file = await open(join(root, 'a.txt'), constants.O_RDONLY)
  t.equal((await statOpen(file)).ino, stats?.ino)
  await file.close()
  t.equal(await lstatKnown(folder, join(folder.address, 'b.txt')), undefined)
  await t.rejects(lstatKnown(folder, join(folder.address, 'a.txt', 'b')), { code: 'ENOTDIR' })
})

t.test('a link to a missing target is a link, and a missing name is none', async (t) => {
  const root = t.testdir({ 'a.txt': 'words' })
  await symlink('nowhere', join(root, 'link'))
  t.ok(await isKnownLink(join(root, 'link'), join(root, 'link')))
  t.notOk(await isKnownLink(join(root, 'a.txt'), join(root, 'a.txt')))
  t.notOk(await isKnownLink(join(root, 'none'), join(root, 'none')))
})

t.test('many calls flush a folder together, also after it was renamed', async (t) => {
  const root = t.testdir({ folder: {}, other: {} })
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [] })
  const folders = await Promise.all(
    Array.from({ length: 20 }, () => openPath(jail, '/folder' as typeof rootPath)),
  )
  await rename(join(root, 'folder'), join(root, 'moved'))
  await writeFile(join(root, 'moved', 'a.txt'), 'words')
  await Promise.all(folders.map(flushOpenFolder))
  t.equal(await readFile(join(root, 'moved', 'a.txt'), 'utf8'), 'words')
  await rm(join(root, 'moved'), { recursive: true })
  await Promise.all(folders.map(flushOpenFolder))
  for (const folder of folders) await folder.close()
})
