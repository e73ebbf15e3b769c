// npm run soak -- [--minutes 30] [--rate 40]: sends mixed requests to the executable for a long time, checks every
// answer, and shows whether the server needs more and more memory, descriptors or threads. `--rate` is the number of
// requests per second. Fails if the last minute needs clearly more than the fifth one, or if an answer is wrong. Shorter
// runs compare with the end of their first sixth; in a run of a few minutes the memory has not settled by then.
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { executable, startCoffer } from './bench/coffer.ts'
import { endAll, exists, isEnding } from './bench/run.ts'
import { type Client, createClient } from './soak/client.ts'
import { startLoad } from './soak/mix.ts'
import { createPerson } from './soak/person.ts'
import { fill } from './soak/served-files.ts'
import { compare, type Finding, mb, medianUsage, readUsage, type Usage } from './soak/usage.ts'

const connections = 8
const sampleMs = 1000
const minuteMs = 60_000
const restMs = 60_000
const restLimitMb = 150

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, rate: { type: 'string', default: '40' } },
})
const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
if (!(minutes > 0 && rate > 0)) {
  console.error('Usage: npm run soak -- [--minutes 30] [--rate REQUESTS_PER_SECOND]')
  process.exit(2)
}
if (!(await exists(executable))) {
  console.error('There is no executable. Run npm run build first.')
  process.exit(2)
}

const durationMs = minutes * minuteMs
const referenceMs = Math.min(5 * minuteMs, durationMs / 6)
const windowSamples = Math.ceil(Math.min(minuteMs, referenceMs) / sampleMs)

const folder = await realpath(await mkdtemp(join(tmpdir(), 'coffer-soak-')))
process.once('SIGINT', () => void leave().finally(() => process.exit(130)))
process.once('SIGTERM', () => void leave().finally(() => process.exit(143)))
try {
  await soak()
} catch (error) {
  if (!isEnding()) throw error
} finally {
  await leave()
}

async function soak(): Promise<void> {
  const { child, port, root } = await startCoffer(join(folder, 'root'), executable)
  const pid = child.pid ?? 0
  const files = await fill(root)
  const client = createClient(port, rate)
  const people = await Promise.all(
    Array.from({ length: connections }, (_, n) => createPerson(client, files, n)),
  )
  const before = await namesBelow(root)
  console.log(`${minutes} minutes, at most ${rate} requests per second on ${connections} connections\n`)
  printRow(['minute', 'requests', 'failures', 'RSS', 'RssAnon', 'threads', 'descriptors', 'p99'])
  printRow(['start', '', '', ...cellsOf(await readUsage(pid)), ''])
  const endLoad = startLoad(client, people)
  // The load also ends when the server has ended, or this process would never end.
  const { samples, requests } = await watch(pid, client).finally(endLoad)
  const last = medianUsage(samples.slice(-windowSamples))
  const referenceEnd = Math.ceil(referenceMs / sampleMs)
  const reference = medianUsage(samples.slice(Math.max(0, referenceEnd - windowSamples), referenceEnd))
  const rest = await restingUsage(pid)
  const { failures } = client.tally
  const left = failures ? [] : await leftFiles(root, before)
  const after = referenceMs < minuteMs ? `${referenceMs / 1000} s` : `${referenceMs / minuteMs} minutes`
  console.log(`\nAfter ${after}, then after ${minutes} minutes:`)
  const findings: Finding[] = [
    ...compare(reference, last),
    { text: `failures: ${failures} in ${requests + client.tally.requests} requests`, isMet: failures === 0 },
    { text: `files left behind: ${left.slice(0, 10).join(', ') || 'none'}`, isMet: left.length === 0 },
  ]
  findings.forEach(print)
  if (findings.some(({ isMet }) => isMet === false)) process.exitCode = 1
  console.log(`\nAfter ${restMs / 1000} s of rest:`)
  print({ text: `RSS: ${mb(rest.rssMb)} (limit ${restLimitMb} MB)`, isMet: rest.rssMb <= restLimitMb })
  print({ text: `RssAnon: ${mb(rest.anonMb)}` })
  print({ text: `descriptors: ${rest.descriptors}` })
  print({ text: `threads: ${rest.threads}` })
}

/** Reads what the server uses again and again, until the time is over. Prints a row for each minute. */
async function watch(pid: number, { tally }: Client): Promise<{ samples: Usage[]; requests: number }> {
  const samples: Usage[] = []
  let [requests, failures, inMinute] = [0, 0, 0]
  const beginMs = performance.now()
  for (let number = 1; number * sampleMs <= durationMs; number++) {
    await sleep(Math.max(0, beginMs + number * sampleMs - performance.now()))
    samples.push(await readUsage(pid))
    inMinute++
    const isLast = (number + 1) * sampleMs > durationMs
    if (number % (minuteMs / sampleMs) && !isLast) continue
    printRow([
      ((number * sampleMs) / minuteMs).toFixed(number % 60 ? 1 : 0),
      String(tally.requests),
      String(tally.failures - failures),
      ...cellsOf(medianUsage(samples.slice(-inMinute))),
      `${percentile99(tally.timesMs).toFixed(0)} ms`,
    ])
    requests += tally.requests
    failures = tally.failures
    inMinute = 0
    tally.requests = 0
    tally.timesMs = []
  }
  return { samples, requests }
}

async function restingUsage(pid: number): Promise<Usage> {
  await sleep(restMs)
  return readUsage(pid)
}

/** Returns the new entries of the served folder, also temporary files, and temporary files beside the state. */
async function leftFiles(root: string, before: ReadonlySet<string>): Promise<string[]> {
  const state = await readdir(`${root}.coffer.d`, { recursive: true })
  const temporary = state.filter((name) => /\.coffer-part|\.new$|^parts\/(?!journal$)/.test(name))
  return [...[...(await namesBelow(root))].filter((name) => !before.has(name)), ...temporary]
}

/** Returns all entries of the served folder, except the trash and old contents of files, which the server deletes later. */
async function namesBelow(root: string): Promise<Set<string>> {
  const names = await readdir(root, { recursive: true })
  return new Set(names.filter((name) => !name.startsWith('.coffer-kept')))
}

function percentile99(timesMs: readonly number[]): number {
  return timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.99)] ?? Number.NaN
}

function cellsOf({ rssMb, anonMb, threads, descriptors }: Usage): string[] {
  return [mb(rssMb), mb(anonMb), String(threads), String(descriptors)]
}

function printRow(cells: readonly string[]): void {
  console.log(cells.map((cell) => cell.padStart(12)).join(''))
}

function print({ text, isMet }: Finding): void {
  console.log(`  ${text}${isMet === undefined ? '' : isMet ? ': met' : ': NOT MET'}`)
}

async function leave(): Promise<void> {
  await endAll()
  // Again and again, because files may still be written when a run is interrupted.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
