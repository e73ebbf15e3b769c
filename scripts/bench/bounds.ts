import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { hostileGifs, hostileJpegs } from '#src/testing/hostile-pictures.ts'
import { type Coffer, startCoffer } from './coffer.ts'
import { type Bench, end, type Line, residentMb } from './run.ts'

// The bounds that `src/attacks/README.md` names: what each protects, filled from outside, and how far it got.
const bodiesMb = 32 * 1.048576
const picturesMb = 1.1 * 1073.741824
const halfSent = 900
const bodyBytes = 60 * 1024
const archives = 8

/** Fills each bound of a running server and prints what that took of it. */
export async function benchBounds(bench: Bench): Promise<Line[]> {
  const coffer = await startCoffer(join(bench.folder, 'bounds'))
  try {
    return [
      await halfSentBodies(coffer),
      await openArchives(coffer),
      await lyingPictures(coffer),
      await deepPaths(coffer),
    ]
  } finally {
    await end(coffer.child)
  }
}

/** Samples a figure of the server until the work is over, and answers the highest. */
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

/** Strangers who announce a body, send most of it, and stop. */
async function halfSentBodies(coffer: Coffer): Promise<Line> {
  const before = await memoryOf(coffer)
  const sockets: Socket[] = []
  const most = await highest(
    () => memoryOf(coffer),
    async () => {
      const head = `POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${64 * 1024}\r\n\r\n`
      const open = Array.from({ length: halfSent }, () => sent(coffer.port, head, sockets))
      await Promise.all(open)
    },
  )
  for (const socket of sockets) socket.destroy()
  return {
    what: 'memory of unfinished bodies',
    ours: `${Math.round(most - before)} MB`,
    peer: `at most ${Math.round(bodiesMb)} MB of bodies, beside their connections`,
    ratio: (most - before) / bodiesMb,
    how: `${halfSent} strangers send ${bodyBytes} bytes of a body each and stop; resident memory above that before`,
  }
}

function sent(port: number, head: string, sockets: Socket[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
    socket.write(head + 'x'.repeat(bodyBytes), () => resolve())
  })
}

/** Archives of many folders whose reader takes nothing. */
async function openArchives(coffer: Coffer): Promise<Line> {
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
    const wanted = Array.from({ length: archives }, () => begun(coffer, '/api/raw/tree?algo=tar'))
    replies.push(...(await Promise.all(wanted)))
  })
  for (const reply of replies) reply.destroy()
  return {
    what: `descriptors of ${archives} archives that nobody reads`,
    ours: String(most),
    peer: `limit ${limit}`,
    ratio: most / limit,
    how: `${archives} archives of 200 folders begun and not read; entries of /proc/PID/fd`,
  }
}

function begun({ port, headers }: Coffer, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (reply) => {
      reply.pause()
      resolve(reply)
    })
    request.on('error', reject)
  })
}

/** Small files that claim to be, or become, very large pictures. */
async function lyingPictures(coffer: Coffer): Promise<Line> {
  const files = { ...hostileJpegs(Buffer.from([0xff, 0xd8, 0xff, 0xd9])), ...hostileGifs() }
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(coffer.root, name), bytes)
  const before = await memoryOf(coffer)
  const ask = (name: string) =>
    fetch(`http://127.0.0.1:${coffer.port}/api/preview/thumb/${name}`, { headers: coffer.headers })
  const most = await highest(
    () => memoryOf(coffer),
    () => Promise.all(Object.keys(files).map(ask)),
  )
  return {
    what: 'memory of pictures that lie about their size',
    ours: `${Math.round(most - before)} MB`,
    peer: `at most ${Math.round(picturesMb)} MB`,
    ratio: (most - before) / picturesMb,
    how: `${Object.keys(files).length} crafted files asked for at once; resident memory above that before`,
  }
}

/** What one look-up of a missing deep path costs, beside one of a short path. */
async function deepPaths(coffer: Coffer): Promise<Line> {
  const [deep, short] = [await lookUps(coffer, 1000), await lookUps(coffer, 10)]
  return {
    what: 'processor time of a path of 1,000 missing levels',
    ours: `${deep.toFixed(1)} ms`,
    peer: `${short.toFixed(1)} ms for 10 levels`,
    ratio: deep / short,
    how: 'user and system time of the server for 200 look-ups, signed in, divided by 200',
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
