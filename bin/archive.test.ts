// Tests archives with the built executable, whose worker threads are embedded in it.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { systemTool } from '#src/testing/system-tool.ts'
import { unsnappy } from '#src/testing/unsnappy.ts'
import { until } from '#src/testing/wire.ts'

const program = path.resolve('bin/coffer')

if (!existsSync(program)) t.bailout('bin/coffer is missing: build it with npm run build')

const password = 'correct horse battery'

type Tree = NonNullable<Parameters<Test['testdir']>[0]>

async function serve(t: Test, files: Tree) {
  // Teardowns run in the order of registration, so the server ends before its folder is removed.
  let stop = async () => {}
  t.teardown(() => stop())
  const base = t.testdir({ files })
  const args = [
    '--root',
    path.join(base, 'files'),
    '--address',
    '127.0.0.1',
    '--port',
    '0',
    '--password',
    password,
  ]
  const child = spawn(program, args, { env: {}, stdio: ['ignore', 'pipe', 'inherit'] })
  stop = async () => {
    const end = once(child, 'exit')
    child.kill('SIGTERM')
    await end
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /at (http:\/\/\S+?)\/?$/.exec(line)?.[1]
    if (!url) continue
    const body = JSON.stringify({ username: 'admin', password })
    const headers = { 'content-type': 'application/json' }
    const login = await fetch(`${url}/api/login`, { method: 'POST', body, headers })
    t.equal(login.status, 200)
    return { base, url, pid: child.pid, headers: { 'X-Auth': await login.text() } }
  }
  throw new Error('the executable ended before it printed its address')
}

t.test('the executable sends a folder as an archive that standard tools unpack', async (t) => {
  const { base, url, headers } = await serve(t, { docs: { 'a b#?.txt': 'hello', empty: {} } })
  const root = path.join(base, 'files')
  writeFileSync(path.join(root, 'docs/wide.txt'), Buffer.alloc(2_000_000, 'the same words again '))
  const packed = async (algorithm: string) => {
    const reply = await fetch(`${url}/api/raw/docs?algo=${algorithm}`, { headers })
    t.equal(reply.status, 200, algorithm)
    return Buffer.from(await reply.arrayBuffer())
  }
  const file = path.join(base, 'docs.zip')
  writeFileSync(file, await packed('zip'))
  t.match(execFileSync('unzip', ['-t', file]).toString(), /No errors detected/)
  for (const [algorithm, tool] of [
    ['targz', 'gzip'],
    ['tarxz', 'xz'],
    ['tarbz2', 'bzip2'],
    ['tarlz4', 'lz4'],
  ] as const) {
    const out = path.join(base, algorithm)
    mkdirSync(out)
    const tar = execFileSync(tool, ['-dc'], { input: await packed(algorithm), maxBuffer: 2 ** 24 })
    execFileSync('tar', ['-xf', '-', '-C', out], { input: tar })
    execFileSync(systemTool('diff'), ['-r', path.join(root, 'docs'), path.join(out, 'docs')])
  }
  t.equal(unsnappy(await packed('tarsz')).toString('latin1', 257, 262), 'ustar')
})

t.test(
  'the executable computes the checksums of an archive with its add-on, and so do its threads for large files',
  { skip: process.platform !== 'linux' && 'the opened add-ons are listed only by Linux' },
  async (t) => {
    const { base, url, pid, headers } = await serve(t, { docs: {} })
    const source = path.join(base, 'files/docs/noise.mp4')
    writeFileSync(source, randomBytes(3_000_000))
    const openedAddons = () => {
      const mapped = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/\S+add-on\.node/g)
      return new Set([...mapped].map(([file]) => file)).size
    }
    const check = async () => {
      const reply = await fetch(`${url}/api/raw/docs?algo=zip`, { headers })
      const file = path.join(base, 'docs.zip')
      writeFileSync(file, Buffer.from(await reply.arrayBuffer()))
      t.match(execFileSync('unzip', ['-t', file]).toString(), /No errors detected/)
    }
    t.equal(openedAddons(), 1, 'the password needed one')
    await check()
    t.equal(openedAddons(), 2)
    truncateSync(source, 200_000_000)
    // On a busy machine, the first download may end before its thread has started.
    await until(async () => {
      await check()
      return openedAddons() === 3
    })
  },
)
