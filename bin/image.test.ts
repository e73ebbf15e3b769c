// Tests the image for containers: builds it from the executable, unpacks its layers, and starts it in them.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { openFolder } from '#src/testing/other-user.ts'
import { hasSandbox } from '#src/testing/sandbox.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { buildImage } from '../scripts/image/image.ts'
import { writeLayer } from '../scripts/image/layers.ts'

const program = path.resolve('bin/coffer')
const run = promisify(execFile)

if (!existsSync(program)) t.bailout('bin/coffer is missing: build it with npm run build')

const place = openFolder(t)
const work = path.join(place, 'work')
const layout = path.join(place, 'layout')
const failure = await buildImage({
  version: '1.2.3',
  arch: process.arch as 'x64',
  executable: program,
  licences: path.resolve('LICENSE'),
  work,
  output: path.join(place, 'image.tar'),
  level: 1,
  isCacheEnough: true,
}).then(
  () => undefined,
  (error: Error) => error.message,
)
const skip = failure === undefined ? false : `there is no image: ${failure}`
if (!skip) {
  mkdirSync(layout)
  execFileSync('tar', ['-xf', path.join(place, 'image.tar'), '-C', layout])
}

const json = (file: string) => JSON.parse(readFileSync(path.join(layout, file), 'utf8'))
const blob = (digest: string) => path.join('blobs', digest.replace(':', '/'))
const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** The description of the image, as a container engine reads it. */
function readImage() {
  const [descriptor] = json('index.json').manifests
  const manifest = json(blob(descriptor.digest))
  return { descriptor, manifest, config: json(blob(manifest.config.digest)) }
}

t.test(
  'the image is an archive of OCI, and docker load of older versions reads it too',
  { skip },
  async (t) => {
    const { descriptor, manifest, config } = readImage()
    t.strictSame(json('oci-layout'), { imageLayoutVersion: '1.0.0' })
    for (const { digest, size } of [descriptor, manifest.config, ...manifest.layers]) {
      const bytes = readFileSync(path.join(layout, blob(digest)))
      t.strictSame([sha256(bytes), bytes.length], [digest, size])
    }
    const plain = manifest.layers.map(({ digest }: { digest: string }) =>
      sha256(gunzipSync(readFileSync(path.join(layout, blob(digest))))),
    )
    t.strictSame(config.rootfs.diff_ids, plain)
    t.match(config.config, {
      Entrypoint: ['/usr/bin/coffer', 'container'],
      Volumes: { '/srv': {}, '/config': {}, '/database': {} },
      Healthcheck: { Test: ['CMD', '/usr/bin/coffer', 'health'] },
    })
    t.match(json('manifest.json'), [
      {
        Config: blob(manifest.config.digest),
        RepoTags: ['coffer:1.2.3'],
        Layers: manifest.layers.map(({ digest }: { digest: string }) => blob(digest)),
      },
    ])
  },
)

t.test('a layer depends only on its files, not on when and as whom it was built', { skip }, async (t) => {
  const folder = path.join(work, 'libraries')
  const blobs = t.testdir({})
  const first = await writeLayer(folder, { blobs, level: 1 })
  utimesSync(path.join(folder, 'etc/passwd'), 1, 1)
  if (process.getuid?.() === 0) chownSync(path.join(folder, 'etc/passwd'), 7, 7)
  t.strictSame(await writeLayer(folder, { blobs, level: 1 }), first)
  writeFileSync(path.join(folder, 'etc/passwd'), 'changed')
  t.not((await writeLayer(folder, { blobs, level: 1 })).digest, first.digest)
})

const needs =
  skip ||
  (process.getuid?.() !== 0 && 'only root can be another user') ||
  (!(await hasSandbox('bwrap')) && 'bwrap is missing or not allowed')

/** The files of all layers in one folder, as a container sees them. */
function unpackRoot(t: Test): string {
  const root = path.join(openFolder(t), 'root')
  mkdirSync(root)
  for (const { digest } of readImage().manifest.layers)
    execFileSync('tar', ['-xzpf', path.join(layout, blob(digest)), '-C', root, '--numeric-owner'])
  return root
}

/** Starts the image like a container engine: with its entry point, its variables, and as the first process. */
function startContainer(t: Test, root: string, env: Record<string, string>, words: readonly string[]) {
  const { Entrypoint, Env, WorkingDir } = readImage().config.config
  const variables = [...Env, ...Object.entries(env).map((pair) => pair.join('='))].flatMap((each: string) => {
    const [name = '', value = ''] = each.split(/=(.*)/s)
    return ['--setenv', name, value]
  })
  const isolation = ['--unshare-pid', '--as-pid-1', '--die-with-parent', '--cap-add', 'ALL', '--clearenv']
  const mounts = ['--bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--chdir', WorkingDir]
  const child = spawn(
    systemTool('bwrap'),
    [...isolation, ...mounts, '--info-fd', '3', ...variables, ...Entrypoint, ...words],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      said += chunk
    })
  const pid = pidFrom(child.stdio[3] as Readable)
  // The kernel does not end this process together with its parent, because it has changed its user.
  const isRunning = () => child.exitCode === null && child.signalCode === null
  t.teardown(async () => {
    if (isRunning()) process.kill(await pid, 'SIGKILL')
    await ended
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { said: () => said, pid, ended, isRunning }
}

/**
 * The process id of the container, which bwrap writes as JSON in several pieces. Reads all of them, because bwrap fails
 * if the pipe is closed before the last one.
 */
async function pidFrom(stream: Readable): Promise<number> {
  const { 'child-pid': pid } = JSON.parse(await text(stream))
  return pid
}

type Container = ReturnType<typeof startContainer>

async function listening({ said, isRunning, ended }: Container): Promise<void> {
  for (;;) {
    if (/^Coffer serves \/srv at /m.test(said())) return
    if (!isRunning()) throw new Error(`ended with ${await ended}: ${said()}`)
    await setTimeout(20)
  }
}

/** Runs a command in a running container, as root, like `docker exec`. */
async function exec({ pid }: Container, ...words: string[]): Promise<number | string> {
  const env = Object.fromEntries(readImage().config.config.Env.map((each: string) => each.split(/=(.*)/s)))
  const inside = ['--target', String(await pid), '--mount', '--pid', '--root', '--wd']
  return run(systemTool('nsenter'), [...inside, ...words], { env }).then(
    () => 0,
    (error) => error.code,
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

t.test(
  'the image imports what File Browser left, and serves as the user of PUID and PGID',
  { skip: needs },
  async (t) => {
    const root = unpackRoot(t)
    const at = (...names: string[]) => path.join(root, ...names)
    writeFileSync(
      at('database/filebrowser.db'),
      gunzipSync(readFileSync('src/import/samples/fb-2.63.db.gz')),
      { mode: 0o600 },
    )
    writeFileSync(
      at('config/settings.json'),
      '{"port": 80, "baseURL": "/files", "database": "/database/filebrowser.db"}',
    )
    writeFileSync(at('srv/old.txt'), 'old')
    chownSync(at('srv'), 1234, 0)
    for (const name of ['database', 'config']) chownSync(at(name), 0, 0)
    const port = await freePort()
    const env = { PUID: '1234', PGID: '1235', UMASK: '027' }
    const flags = [`--port=${port}`, '--address', '127.0.0.1']
    const first = startContainer(t, root, env, flags)
    await listening(first)
    t.match(first.said(), /^Wrote \/database\/coffer\.json\.$/m)
    const owner = (name: string) => [statSync(at(name)).uid, statSync(at(name)).gid]
    for (const name of [
      'config',
      'database',
      'database/filebrowser.db',
      'database/coffer.json',
      'config/settings.json',
    ])
      t.strictSame(owner(name), [1234, 1235], name)
    t.strictSame(owner('srv/old.txt'), [0, 0], 'served files keep their owner')

    const url = `http://127.0.0.1:${port}/files/api`
    const body = JSON.stringify({ username: 'admin', password: 'Sample-Admin-1' })
    const login = await fetch(`${url}/login`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    const headers = { 'X-Auth': await login.text() }
    t.equal((await fetch(`${url}/resources/new.txt`, { method: 'POST', body: 'new', headers })).status, 200)
    const listing = (await (await fetch(`${url}/resources/`, { headers })).json()) as {
      items: { name: string }[]
    }
    t.match(
      listing.items.map(({ name }) => name),
      ['new.txt', 'old.txt'],
    )
    t.strictSame(owner('srv/new.txt'), [1234, 1235], 'a new file belongs to the user')

    t.equal(await exec(first, '/usr/bin/coffer', 'health'), 0, 'the check finds the flags of the server')
    t.equal(await exec(first, '/usr/bin/coffer', 'health', '--port', '1'), 1)
    process.kill(await first.pid, 'SIGTERM')
    t.equal(await first.ended, 0, 'the first process of a container handles the signal')

    const second = startContainer(t, root, env, flags)
    await listening(second)
    t.notMatch(second.said(), /Wrote|imported/, 'the next start imports nothing')
  },
)

t.test('the database of an old image is copied for a user who cannot read it', { skip: needs }, async (t) => {
  const root = unpackRoot(t)
  const at = (...names: string[]) => path.join(root, ...names)
  writeFileSync(at('database.db'), gunzipSync(readFileSync('src/import/samples/fb-2.1.db.gz')), {
    mode: 0o600,
  })
  const flags = [`--port=${await freePort()}`, '--address=127.0.0.1']
  const container = startContainer(t, root, {}, flags)
  await listening(container)
  t.equal(statSync(at('database.db')).uid, 0, 'the file stays as it was')
  t.match(container.said(), /^Wrote \/database\/coffer\.json\.$/m)
  t.equal(statSync(at('database/coffer.json')).uid, 1000)
})

t.test('a wrong user or a damaged database stops the image with one sentence', { skip: needs }, async (t) => {
  const root = unpackRoot(t)
  const wrong = startContainer(t, root, { PUID: 'alice' }, [])
  t.equal(await wrong.ended, 2)
  t.match(wrong.said(), /^PUID must be the number of a user or group, such as 1000; it is "alice"\.\n$/)
  writeFileSync(path.join(root, 'database/filebrowser.db'), 'not a database')
  const damaged = startContainer(t, root, {}, ['--address=127.0.0.1'])
  t.equal(await damaged.ended, 2)
  t.notMatch(damaged.said(), /\n {4}at /, 'no stack trace')
  t.notOk(existsSync(path.join(root, 'database/coffer.json')))
  rmSync(path.join(root, 'database/filebrowser.db'))
  const other = startContainer(t, root, {}, ['version'])
  t.equal(await other.ended, 0, 'another command than the server runs, too')
  t.match(other.said(), /^coffer /)
})
