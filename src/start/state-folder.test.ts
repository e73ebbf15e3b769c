import { mkdir, readdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import { normalizePath, rootPath } from '#src/files/paths/user-path.ts'
import { openStateFolder } from './state-folder.ts'

async function createRoot(t: Test, config: (base: string) => Partial<Config>) {
  const base = await realpath(t.testdir({ root: { 'a.txt': '' }, elsewhere: {} }))
  const root = join(base, 'root')
  const open = async () => openStateFolder({ root, log: '', ...config(base) } as Config)
  /** Whether a user whose scope is the whole root can open a path. */
  const canOpen = async (secret: readonly string[], written: string) => {
    const jail = await openJail(root, rootPath, { allows: () => true, secret })
    return openPath(jail, normalizePath(written).path).then(
      (held) => held.close().then(() => true),
      () => false,
    )
  }
  return { base, root, open, canOpen }
}

t.test('the state is in a private folder beside its file', async (t) => {
  const { base, open } = await createRoot(t, (base) => ({ database: join(base, 'new', 'state.json') }))
  const { file, folder } = await open()
  t.strictSame([file, folder], [join(base, 'new/state.json'), join(base, 'new/state.d')])
  t.equal((await stat(folder)).mode & 0o777, 0o700)
})

t.test(
  'in the root, the state, its backups, its folder, the keys and the log are not accessible',
  async (t) => {
    const { root, open, canOpen } = await createRoot(t, (base) => ({
      database: join(base, 'root/state.json'),
      cert: join(base, 'root/cert.pem'),
      key: join(base, 'root/key.pem'),
      log: join(base, 'root/coffer.log'),
      logKeep: 9,
      socket: join(base, 'root/coffer.sock'),
      cacheDir: join(base, 'root/cache'),
      configFile: join(base, 'root/coffer.toml'),
    }))
    const names = ['state.json', 'state.json.bak', 'state.json.new', 'state.json.bak.new', 'state.json.aside']
    const { secret } = await open()
    await mkdir(join(root, 'cache'))
    for (const name of [
      ...names,
      'cert.pem',
      'key.pem',
      'coffer.log',
      'coffer.log.1',
      'coffer.log.9',
      'coffer.log.new',
      'coffer.toml',
      'coffer.sock',
      'cache/x',
      'state.d/x',
    ]) {
      await writeFile(join(root, name), 'SECRET')
      t.notOk(await canOpen(secret, `/${name}`), name)
    }
    t.ok(await canOpen(secret, '/a.txt'))
  },
)

t.test('in the root, copies of the state from before an import are not accessible', async (t) => {
  const { root, open, canOpen } = await createRoot(t, (base) => ({ database: join(base, 'root/state.json') }))
  const names = ['state.json.before-import-20261121-090045', 'state.json.before-import-20261121-090045-2']
  for (const name of names) await writeFile(join(root, name), 'SECRET')
  const { secret } = await open()
  for (const name of names) t.notOk(await canOpen(secret, `/${name}`), name)
  t.ok(await canOpen(secret, '/a.txt'))
})

t.test(
  'a symbolic link to the state file stays, and neither the link nor its target is accessible',
  async (t) => {
    const { base, root, open, canOpen } = await createRoot(t, (base) => ({
      database: join(base, 'root/link.json'),
    }))
    await writeFile(join(base, 'elsewhere/real.json'), '{}')
    await symlink('../elsewhere/real.json', join(root, 'link.json'))
    const { file, folder, secret } = await open()
    t.equal(file, join(base, 'elsewhere/real.json'))
    t.equal(folder, join(base, 'elsewhere/real.d'))
    t.ok(secret.includes(join(root, 'link.json')), 'it cannot be deleted either')
    t.notOk(await canOpen(secret, '/link.json'))
    t.equal(await readFile(file, 'utf8'), '{}')
  },
)

t.test('a folder that cannot contain the state stops the start with a message', async (t) => {
  const { open } = await createRoot(t, (base) => ({ database: join(base, 'root/a.txt/state.json') }))
  await t.rejects(open(), {
    name: 'StartupProblem',
    message: /cannot be stored in .* \((EEXIST|ENOTDIR)\): .*--database/,
  })
})

t.test(
  'a missing state file stops the start when its backup or its folder exists, and nothing changes',
  async (t) => {
    const { base, open } = await createRoot(t, (base) => ({ database: join(base, 'elsewhere/state.json') }))
    const at = (name: string) => join(base, 'elsewhere', name)
    await open()
    await open() // a start that stopped before there was a state
    await mkdir(at('state.d/sessions'))
    await writeFile(at('state.json.bak'), 'COPY')
    await t.rejects(open(), {
      name: 'StartupProblem',
      message:
        /state\.json is missing, but its copy .*\.bak exists: restore the file, or rename the copy .*state\.d/,
    })
    t.strictSame(await readdir(at('')), ['state.d', 'state.json.bak'])
    await rename(at('state.json.bak'), at('state.json'))
    await open()
    await rm(at('state.json'))
    await t.rejects(open(), {
      message: /missing, but its folder .*state\.d exists: restore the file\. To start/,
    })
    await rm(at('state.d'), { recursive: true })
    await writeFile(at('state.json.bak'), 'COPY')
    await t.rejects(open(), {
      message: /To start with a new state, move away its copy .*state\.json\.bak\.$/,
    })
    await rm(at('state.json.bak'))
    await open()
  },
)

t.test('a broken symbolic link as the state file stops the start, and the link stays', async (t) => {
  const { base, open } = await createRoot(t, (base) => ({ database: join(base, 'elsewhere/state.json') }))
  const link = join(base, 'elsewhere/state.json')
  await symlink('/mnt/not-mounted/state.json', link)
  await t.rejects(open(), { name: 'StartupProblem', message: /a broken symbolic link/ })
  t.strictSame(await readdir(join(base, 'elsewhere')), ['state.json'])
})
