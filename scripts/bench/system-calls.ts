import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Coffer, executable, startCoffer } from './coffer.ts'
import { piece } from './files.ts'
import { type Bench, exists, find, type ResultLine, start, stop } from './run.ts'
import { send } from './table/upload-lines.ts'
import type { RawRequest } from './wire.ts'

const requests = 300
const shownNames = 6
const small = piece.subarray(0, 10 * 1024)

interface Kind {
  readonly what: string
  readonly goal: number
  readonly method: RawRequest['method']
  readonly path: (number: number) => string
  readonly body?: Buffer
}

const kinds: readonly Kind[] = [
  { what: 'GET /api/raw of a small file', goal: 12, method: 'GET', path: () => '/api/raw/small.txt' },
  {
    what: 'GET /api/resources of a small file',
    goal: 10,
    method: 'GET',
    path: () => '/api/resources/small.txt',
  },
  {
    what: 'upload of 10 KiB',
    goal: 30,
    method: 'POST',
    path: (number) => `/api/resources/new/${number}.bin?override=true`,
    body: small,
  },
]

/** Counts the system calls of all threads of Coffer for each request, with `strace -c`. */
export async function benchSystemCalls(bench: Bench): Promise<ResultLine[]> {
  const strace = await find('strace')
  if (strace === undefined) {
    return [{ what: 'system calls', ours: 'strace is not installed', peer: '', how: 'not measured' }]
  }
  const program = (await exists(executable)) ? executable : undefined
  const coffer = await startCoffer(join(bench.folder, 'system-calls'), program)
  await writeFile(join(coffer.root, 'small.txt'), 'hello\n')
  await mkdir(join(coffer.root, 'new'))
  const lines: ResultLine[] = []
  for (const kind of kinds) lines.push(await count(kind, { coffer, strace, folder: bench.folder }))
  await stop(coffer.child)
  return lines
}

async function count(
  kind: Kind,
  { coffer, strace, folder }: { coffer: Coffer; strace: string; folder: string },
): Promise<ResultLine> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sendAll = async (from: number) => {
    for (let number = from; number < from + requests; number++) {
      const call = {
        port: coffer.port,
        method: kind.method,
        path: kind.path(number),
        headers: coffer.headers,
      }
      await send(call, agent, kind.body)
    }
  }
  await sendAll(0)
  const calls = await traced(strace, coffer.child.pid ?? 0, join(folder, 'strace.txt'), () =>
    sendAll(requests),
  )
  agent.destroy()
  const all = calls.reduce((sum, { count }) => sum + count, 0) / requests
  const names = calls
    .sort((a, b) => b.count - a.count)
    .slice(0, shownNames)
    .map(({ name, count }) => `${name} ${(count / requests).toFixed(1)}`)
  return {
    what: `system calls per ${kind.what}`,
    ours: all.toFixed(1),
    peer: `goal ${kind.goal}`,
    ratio: all / kind.goal,
    how: `${names.join(', ')}; ${requests} requests on one connection, after as many before`,
  }
}

/** Returns how often each system call was made by a process and its threads during `work`. */
async function traced(
  strace: string,
  pid: number,
  file: string,
  work: () => Promise<void>,
): Promise<{ name: string; count: number }[]> {
  const child = start(strace, ['-f', '-c', '-o', file, '-p', String(pid)], { stderr: 'pipe' })
  const exited = once(child, 'exit')
  if (child.stderr) await once(child.stderr, 'data') // "Process … attached"
  await sleep(300) // until it has attached to the other threads
  await work()
  child.kill('SIGINT')
  await exited
  const summary = await readFile(file, 'utf8')
  // The columns: % time, seconds, usecs/call, calls, errors (may be empty), syscall.
  return [...summary.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$/gm)]
    .map(([, count, name = '']) => ({ name, count: Number(count) }))
    .filter(({ name }) => name !== 'total')
}
