// Needs a process of its own: it counts the open files of the process.
import {
  appendFileSync,
  chmodSync,
  closeSync,
  cpSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { CompiledBounds, Follow } from '#src/files/archive/formats/entry.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { asOtherUser, openFolder } from '#src/testing/other-user.ts'
import { listNames } from './list-names.ts'
import { maxBytes, maxLarge, pack } from './pack-items.ts'
import { smallBytes } from './read-item.ts'

function folder(t: Test, tree: NonNullable<Parameters<Test['testdir']>[0]>) {
  const base = openFolder(t)
  cpSync(t.testdir({ root: tree, outside: { 'secret.txt': 'secret' } }), base, { recursive: true })
  const root = join(base, 'root') as SafePath
  const bounds: CompiledBounds = { root, secret: [], rules: [], allows: () => true }
  const item = (name: string, follow: Follow = 'never') => ({
    // Without a slash at the end, as in the walk: with it, a link would be followed.
    address: join(root, name.replace('/', '')),
    entry: name,
    follow,
  })
  const packTar = (...items: ReturnType<typeof item>[]) =>
    pack({ kind: 'pack', format: 'tar', items, bounds, level: 6 })
  const list = (name: string) => {
    const address = join(root, name)
    const path = `/${name}` as UserPath
    return listNames({
      kind: 'list',
      address,
      real: address,
      path,
      isHeld: false,
      bounds,
      hideDotfiles: false,
      forWindows: false,
    })
  }
  return { base, root, item, packTar, list }
}

t.test('an unreadable file is left out and reported, and the other files are packed', async (t) => {
  const { root, item, packTar, list } = folder(t, { 'open.txt': 'o', 'closed.txt': 'c', closed: { a: '' } })
  chmodSync(join(root, 'closed.txt'), 0)
  chmodSync(join(root, 'closed'), 0)
  const { bytes, faults } = asOtherUser(() => packTar(item('closed.txt'), item('open.txt')))
  t.strictSame(faults, [{ entry: 'closed.txt', reason: 'the operating system denies access' }])
  t.match(Buffer.from(bytes).toString(), /^open\.txt/)
  asOtherUser(() => t.throws(() => list('closed'), { code: 'EACCES' }))
  chmodSync(join(root, 'closed'), 0o700)
})

t.test('an entry that became a symbolic link after the listing is not followed', async (t) => {
  const { base, root, item, packTar, list } = folder(t, { 'a.txt': 'a' })
  symlinkSync(join(base, 'outside'), join(root, 'sub'))
  symlinkSync(join(base, 'outside/secret.txt'), join(root, 'link'))
  t.throws(() => list('sub'), { code: /ELOOP|ENOTDIR/ })
  const { bytes, faults } = packTar(item('sub/'), item('link'), item('link', 'inside'), item('gone'))
  t.equal(bytes.length, 0)
  t.match(faults, [
    { entry: 'sub/', reason: 'it is no longer a folder' },
    { entry: 'link', reason: 'a symbolic link replaced it' },
    { entry: 'link', reason: 'a symbolic link to a place outside your folder' },
    { entry: 'gone', reason: /it no longer exists/ },
  ])
})

t.test('a file of up to 64 KiB is packed, and a larger one is streamed', async (t) => {
  const { root, item, packTar } = folder(t, {})
  writeFileSync(join(root, 'small'), Buffer.alloc(smallBytes, 's'))
  writeFileSync(join(root, 'large'), Buffer.alloc(smallBytes + 1, 'l'))
  const { bytes, large } = packTar(item('small'), item('large'))
  t.equal(bytes.length, 512 + smallBytes)
  t.match(large, [{ facts: { entry: 'large', size: smallBytes + 1 }, at: bytes.length }])
  for (const { fd } of large) t.doesNotThrow(() => closeSync(fd), 'the descriptor is open')
})

t.test('a task ends after 4 MiB of small files or four large ones, and closes the others', async (t) => {
  const { root, item, packTar } = folder(t, {})
  const names = Array.from({ length: 70 }, (_, n) => `file-${n}`)
  for (const name of names) writeFileSync(join(root, name), Buffer.alloc(smallBytes, name))
  const open = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)
  const before = open()
  const { bytes, processed } = packTar(item('gone'), ...names.map((name) => item(name)))
  t.equal(processed, 1 + maxBytes / smallBytes)
  t.equal(bytes.length, (processed - 1) * (512 + smallBytes))
  t.equal(open(), before)
  t.equal(packTar(...names.slice(processed).map((name) => item(name))).processed, names.length - processed)
  for (const name of names.slice(3)) appendFileSync(join(root, name), 'more')
  const { processed: some, large } = packTar(...names.map((name) => item(name)))
  t.equal(some, 3 + maxLarge)
  t.equal(open(), before + maxLarge)
  for (const { fd } of large) closeSync(fd)
})
