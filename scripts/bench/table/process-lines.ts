// The lines about the process itself: how fast it starts, and how much memory it needs.
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, residentMb, runAlternating, start, stop } from '../run.ts'
import { dropCaches, type Figures, type Line, orFailed, type Table, type Task } from './line.ts'
import { firstAnswer, type Installed, launch, type Server, startServer } from './servers.ts'

const idleMs = 3000
const bareNode = 'bare Node'

/** The time from the start to the first answer. The state of the server exists already. */
export const startLine: Line = {
  what: 'start to the first answer',
  unit: 'ms',
  limits: ({ warm }) => [
    { value: 150, of: 'warm' },
    { value: 2 * (warm[bareNode] ?? Number.NaN), of: 'warm', from: `2 × ${bareNode}` },
  ],
  measure: measureStart,
}

async function measureStart({ bench, programs }: Table): Promise<Figures> {
  const cold: Record<string, number> = {}
  const contestants: Record<string, () => Promise<number>> = { [bareNode]: startBareNode }
  for (const program of programs) {
    const run = () => orFailed(program.name, () => startMs(() => launch(program, bench)))
    await dropCaches(bench)
    cold[program.name] = await run()
    contestants[program.name] = run
  }
  return { cold, warm: (await runAlternating(contestants, bench.runs)) as Record<string, number> }
}

async function startMs(launch: () => Promise<ChildProcess>): Promise<number> {
  const beginMs = performance.now()
  const child = await launch()
  const ms = performance.now() - beginMs
  await stop(child)
  return ms
}

/** Returns the time in which Node itself starts and answers. */
async function startBareNode(): Promise<number> {
  const port = await freePort()
  const script = `require('node:http').createServer((_, reply) => reply.end()).listen(${port}, '127.0.0.1')`
  return startMs(async () => {
    const child = start(process.execPath, ['-e', script])
    await firstAnswer(port)
    return child
  })
}

/** The memory after the start and a sign-in. */
export const idleMemoryLine: Line = {
  what: 'memory at idle',
  unit: 'MB',
  limits: () => [{ value: 95, of: 'warm' }],
  async measure({ bench, programs }) {
    const warm: Record<string, number> = {}
    for (const program of withoutReferences(programs)) {
      const { child } = await startServer(program, bench)
      await sleep(idleMs)
      warm[program.name] = await memoryOf(child)
      await stop(child)
    }
    return { cold: {}, warm, notes: [`Memory at idle is measured ${idleMs / 1000} s after the start.`] }
  },
}

/** Returns the line for the memory of a server that has done each of these tasks once, and has rested. */
export function laterMemoryLine(tasks: readonly Task[]): Line {
  return {
    what: 'memory after all of this and a rest',
    unit: 'MB',
    limits: () => [{ value: 150, of: 'warm' }],
    measure: (table) => measureLater(table, tasks),
  }
}

async function measureLater(table: Table, tasks: readonly Task[]): Promise<Figures> {
  const { bench, programs } = table
  const servers: Server[] = []
  const warm: Record<string, number> = {}
  for (const program of withoutReferences(programs)) {
    const server = await startServer(program, bench)
    servers.push(server)
    for (const task of tasks.filter(({ verb }) => program.paths[verb]))
      await orFailed(program.name, () => task.run(server, table, 'cold'))
  }
  await sleep(bench.restSeconds * 1000)
  for (const { program, child } of servers) {
    warm[program.name] = await memoryOf(child)
    await stop(child)
  }
  return {
    cold: {},
    warm,
    notes: [`"After all of this" is each line with files once, and ${bench.restSeconds} s of rest.`],
  }
}

// The workers of nginx are other processes, and it is no file manager.
function withoutReferences(programs: readonly Installed[]): Installed[] {
  return programs.filter(({ isReference }) => !isReference)
}

async function memoryOf({ pid }: ChildProcess): Promise<number> {
  return (pid === undefined ? undefined : await residentMb(pid)) ?? Number.NaN
}
