import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, statfs, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hostileGifs, hostileJpegs } from '#src/testing/hostile-pictures.ts'
import { type Coffer, startCoffer } from './coffer.ts'
import { addressOf, getsResponse } from './connections.ts'
import { type Bench, type ResultLine, residentMb, stop } from './run.ts'

// The limits of `src/attacks/README.md`, and the load that reaches them.
const bodiesMb = 32 * 1.048576
const picturesMb = 1.1 * 1073.741824
const halfSent = 900
const bodyBytes = 60 * 1024
const archives = 8
const callsOfKind = 12
// Listings 4, searches 3, checksums 2, trees 4.
const ownThreads = 13
const mostConnections = 200
const mostSessions = 200
const diskBytes = 64 * 1024 ** 2
const run = promisify(execFile)

/** Loads running servers up to their limits. Each line shows how much of a limit was used. */
export async function benchLimits(bench: Bench): Promise<ResultLine[]> {
  const base = join(bench.folder, 'bounds')
  const lines = await withCoffer(base, [], async (coffer) => [
    await halfSentBodies(coffer),
    await openArchives(coffer),
    await lyingPictures(coffer),
    await busyThreads(coffer),
    await deepPaths(coffer),
  ])
  return [
    ...lines,
    await withCoffer(`${base}-connections`, ['--connections', String(mostConnections)], heldConnections),
    await fullDisk(`${base}-disk`),
    await withCoffer(`${base}-sessions`, ['--noauth'], keptSessions),
  ]
}

async function withCoffer<T>(
  root: string,
  more: readonly string[],
  work: (coffer: Coffer) => Promise<T>,
): Promise<T> {
  const coffer = await startCoffer(root, undefined, more)
  try {
    return await work(coffer)
  } finally {
    await stop(coffer.child)
  }
}

/** Samples a value until the work ends. Returns the maximum. */
async function highest(sample: () => Promise<number>, work: () => Promise<unknown>): Promise<number> {
  let most = await sample()
  const timer = setInterval(async () => {
    most = Math.max(most, await sample().catch(() => 0))
  }, 50)
  try {
    await work()
    return Math.max(most, await sample())
  } finally {
    clearInterval(timer)
  }
}

const pidOf = ({ child }: Coffer) => child.pid ?? 0
const memoryOf = async (coffer: Coffer) => (await residentMb(pidOf(coffer))) ?? Number.NaN

/** Measures the memory of anonymous requests that announce a body, send most of it, and stop. */
async function halfSentBodies(coffer: Coffer): Promise<ResultLine> {
  const before = await memoryOf(coffer)
  const sockets: Socket[] = []
  const most = await highest(
    () => memoryOf(coffer),
    async () => {
      const head = `POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${64 * 1024}\r\n\r\n`
      const open = Array.from({ length: halfSent }, () => sendPart(coffer.port, head, sockets))
      await Promise.all(open)
    },
  )
  for (const socket of sockets) socket.destroy()
  return {
    what: 'memory of unfinished bodies',
    ours: `${Math.round(most - before)} MB`,
    peer: `limit ${Math.round(bodiesMb)} MB for bodies, plus memory of connections`,
    ratio: (most - before) / bodiesMb,
    how: `${halfSent} clients without sign-in send ${bodyBytes} bytes of a body each and stop; increase of resident memory`,
  }
}

function sendPart(port: number, head: string, sockets: Socket[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
    socket.write(head + 'x'.repeat(bodyBytes), () => resolve())
  })
}

/** Measures the open descriptors of archives of many folders that the client does not read. */
async function openArchives(coffer: Coffer): Promise<ResultLine> {
  for (let n = 0; n < 200; n++) {
    await mkdir(join(coffer.root, 'tree', String(n)), { recursive: true })
    await writeFile(join(coffer.root, 'tree', String(n), 'a.bin'), Buffer.alloc(32 * 1024, n))
  }
  const pid = pidOf(coffer)
  const count = async () => (await readdir(`/proc/${pid}/fd`)).length
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8')
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
  const replies: IncomingMessage[] = []
  const most = await highest(count, async () => {
    const requests = Array.from({ length: archives }, () => startRequest(coffer, '/api/raw/tree?algo=tar'))
    replies.push(...(await Promise.all(requests)))
  })
  for (const reply of replies) reply.destroy()
  return {
    what: `descriptors of ${archives} archives that no client reads`,
    ours: String(most),
    peer: `limit ${limit}`,
    ratio: most / limit,
    how: `${archives} archives of 200 folders, requested but not read; entries of /proc/PID/fd`,
  }
}

function startRequest({ port, headers }: Coffer, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (reply) => {
      reply.pause()
      resolve(reply)
    })
    request.on('error', reject)
  })
}

/** Measures the memory of small files that claim to be, or decode to, very large pictures. */
async function lyingPictures(coffer: Coffer): Promise<ResultLine> {
  const files = { ...hostileJpegs(Buffer.from([0xff, 0xd8, 0xff, 0xd9])), ...hostileGifs() }
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(coffer.root, name), bytes)
  const before = await memoryOf(coffer)
  const send = (name: string) =>
    fetch(`http://127.0.0.1:${coffer.port}/api/preview/thumb/${name}`, { headers: coffer.headers })
  const most = await highest(
    () => memoryOf(coffer),
    () => Promise.all(Object.keys(files).map(send)),
  )
  return {
    what: 'memory of images with a false size',
    ours: `${Math.round(most - before)} MB`,
    peer: `limit ${Math.round(picturesMb)} MB`,
    ratio: (most - before) / picturesMb,
    how: `${Object.keys(files).length} crafted files, requested at once; increase of resident memory`,
  }
}

/** Measures the threads for many concurrent requests of each kind that has its own worker threads. */
async function busyThreads(coffer: Coffer): Promise<ResultLine> {
  const wide = join(coffer.root, 'wide')
  await mkdir(wide)
  for (let n = 0; n < 5000; n++) await writeFile(join(wide, `${n}.txt`), '')
  await writeFile(join(coffer.root, 'large.bin'), Buffer.alloc(64 * 1024 * 1024))
  const count = async () => (await readdir(`/proc/${pidOf(coffer)}/task`)).length
  const before = await count()
  const calls = [
    'resources/wide',
    'search/?query=7',
    'resources/large.bin?checksum=sha512',
    'resources/recursive/',
  ]
  const send = (call: string) =>
    fetch(`http://127.0.0.1:${coffer.port}/api/${call}`, { headers: coffer.headers }).then((reply) =>
      reply.arrayBuffer(),
    )
  const most = await highest(count, () =>
    Promise.all(calls.flatMap((call) => Array.from({ length: callsOfKind }, () => send(call)))),
  )
  return {
    what: 'threads during many concurrent requests',
    ours: String(most - before),
    peer: `limit ${ownThreads} plus the ${before} of the idle server`,
    ratio: (most - before) / ownThreads,
    how: `${callsOfKind} listings, searches, checksums and trees each, all at once; entries of /proc/PID/task`,
  }
}

/** Measures how many connections clients from several addresses can keep open. */
async function heldConnections({ port }: Coffer): Promise<ResultLine> {
  const sockets: Socket[] = []
  const answered = await Promise.all(
    Array.from({ length: 2 * mostConnections }, (_, n) => getsResponse(port, addressOf(n), sockets)),
  )
  for (const socket of sockets) socket.destroy()
  const held = answered.filter(Boolean).length
  return {
    what: 'open connections',
    ours: String(held),
    peer: `limit ${mostConnections} (--connections)`,
    ratio: held / mostConnections,
    how: `${2 * mostConnections} connections from 8 addresses, each with one request to /health`,
  }
}

/** Uploads files until the server refuses. Measures the free disk space that is left. */
async function fullDisk(disk: string): Promise<ResultLine> {
  const what = 'disk space that uploads leave free'
  await mkdir(disk, { recursive: true })
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', disk])
  } catch {
    return { what, ours: '-', peer: '-', how: 'not measured: cannot mount a disk on this system' }
  }
  try {
    const status = await withCoffer(join(disk, 'root'), [], async ({ port, headers }) => {
      for (let n = 0; ; n++) {
        const url = `http://127.0.0.1:${port}/api/resources/${n}.bin`
        const { status } = await fetch(url, { method: 'POST', headers, body: Buffer.alloc(1024 * 1024) })
        if (status !== 200) return status
      }
    })
    const { bavail, bsize } = await statfs(disk)
    const [left, reserve] = [bavail * bsize, diskBytes / 100]
    return {
      what,
      ours: `${(left / 1e6).toFixed(2)} MB`,
      peer: `at least ${(reserve / 1e6).toFixed(2)} MB, 1% of the disk`,
      ratio: left / reserve,
      how: `uploads of 1 MiB to a disk of ${diskBytes / 1024 ** 2} MiB until the response is ${status}`,
    }
  } finally {
    await run('umount', ['-l', disk])
  }
}

/** Measures how many sessions of one user are kept after many sign-ins. */
async function keptSessions({ port, root }: Coffer): Promise<ResultLine> {
  const signIns = 250
  for (let n = 0; n < signIns; n++) {
    const reply = await fetch(`http://127.0.0.1:${port}/api/login`, { method: 'POST' })
    if (!reply.ok) throw new Error(`sign-in failed with status ${reply.status}`)
    await reply.text()
  }
  const folder = `${root}.coffer.d/sessions`
  const kept = await readdir(folder)
  return {
    what: 'stored sessions of one user',
    ours: String(kept.length),
    peer: `limit ${mostSessions}`,
    ratio: kept.length / mostSessions,
    how: `${signIns} sign-ins; number of files in the sessions folder`,
  }
}

/** Compares the processor time for a deep missing path with that for a short one. */
async function deepPaths(coffer: Coffer): Promise<ResultLine> {
  const [deep, short] = [await lookUps(coffer, 1000), await lookUps(coffer, 10)]
  return {
    what: 'processor time for a missing path with 1,000 levels',
    ours: `${deep.toFixed(1)} ms`,
    peer: `${short.toFixed(1)} ms for 10 levels`,
    ratio: deep / short,
    how: 'user and system time of the server per request, from 200 requests of a signed-in user',
  }
}

async function lookUps({ child, port, headers }: Coffer, levels: number): Promise<number> {
  const url = `http://127.0.0.1:${port}/api/resources/${'d/'.repeat(levels)}`
  const before = await processorMs(child.pid ?? 0)
  for (let n = 0; n < 200; n++) await (await fetch(url, { headers })).text()
  return ((await processorMs(child.pid ?? 0)) - before) / 200
}

/** proc_pid_stat(5), fields 14 and 15: user and system time in clock ticks of 10 ms. */
async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
