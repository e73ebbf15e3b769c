import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressOf, getsResponse } from '../connections.ts'
import { median, stop } from '../run.ts'
import { download } from '../wire.ts'
import { type Figures, type Line, orFailed, type Table } from './line.ts'
import { served } from './served-files.ts'
import { type Installed, requestFor, type Server, startServer } from './servers.ts'

const idle = 5000
const slow = 500
const openedAtOnce = 100
const slowByteMs = 200
const askMs = 2000

/** The slowest answer while many connections are idle, and others send their request byte by byte. */
export const crowdLine: Line = {
  what: `slowest answer beside ${idle} idle and ${slow} slow connections`,
  unit: 'ms',
  measure: measureCrowds,
}

/** One program after the other: two crowds at once would need more descriptors than most systems allow. */
async function measureCrowds(table: Table): Promise<Figures> {
  const cold: Record<string, number> = {}
  const warm: Record<string, number> = {}
  const notes: string[] = []
  for (const program of table.programs.filter(({ isReference }) => !isReference)) {
    const { name } = program
    await orFailed(name, async () => {
      const { slowest, open } = await besideCrowd(program, table)
      cold[name] = slowest[0] ?? Number.NaN
      warm[name] = median(slowest.slice(1))
      notes.push(`${open} of the ${idle + slow} idle and slow connections to ${name} were open at the end.`)
      return warm[name]
    })
  }
  return { cold, warm, notes }
}

async function besideCrowd(
  program: Installed,
  { bench }: Table,
): Promise<{ slowest: number[]; open: number }> {
  const server = await startServer(program, bench, program.crowdArgs)
  const sockets: Socket[] = []
  let timer: NodeJS.Timeout | undefined
  try {
    await openIdle(program.port, sockets)
    timer = openSlow(program.port, sockets)
    await sleep(1000)
    const slowest: number[] = []
    for (let run = 0; run <= bench.runs; run++) slowest.push(await slowestAnswerMs(server))
    return { slowest, open: sockets.filter(({ readyState }) => readyState === 'open').length }
  } finally {
    clearInterval(timer)
    for (const socket of sockets) socket.destroy()
    await stop(server.child)
  }
}

/** Opens the idle connections. Each has one answer and then waits for the next request. */
async function openIdle(port: number, sockets: Socket[]): Promise<void> {
  for (let from = 0; from < idle; from += openedAtOnce) {
    const some = Array.from({ length: openedAtOnce }, (_, n) =>
      getsResponse(port, addressOf(from + n), sockets),
    )
    await Promise.all(some)
  }
}

/** Opens the slow connections. Each sends a header that does not end, one byte after another. */
function openSlow(port: number, sockets: Socket[]): NodeJS.Timeout {
  const opened = Array.from({ length: slow }, (_, n) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(n) })
    socket.on('error', () => {}) // counted: it is not open at the end
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    return socket
  })
  sockets.push(...opened)
  return setInterval(() => {
    for (const socket of opened) if (socket.writable) socket.write('x')
  }, slowByteMs)
}

/** Sends requests one after another, each on a new connection. */
async function slowestAnswerMs(server: Server): Promise<number> {
  const endMs = performance.now() + askMs
  let slowestMs = 0
  while (performance.now() < endMs) {
    const startMs = performance.now()
    await download(requestFor(server, 'raw', served.small), 0)
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
  }
  return slowestMs
}
