// npm run bench -- [subject … | all] [--size 64M] [--runs 5] [--folder DIR] [--pin 0] [--rest 60] [--keep-caches]
// [--lines TEXT] [--before FILE]: compares Coffer's speed with other programs, and with an older executable of Coffer.
// Without a subject: the table and the system calls.
import { mkdtemp, open, realpath, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchArchive } from './archive.ts'
import { benchLimits } from './bounds.ts'
import { benchChecksum } from './checksum.ts'
import { benchLinks } from './links.ts'
import { benchListing } from './listing.ts'
import { benchOperations } from './operations.ts'
import { benchPage } from './page.ts'
import { benchPublish } from './publish.ts'
import { type Bench, type Benchmark, endAll, isEnding, type ResultLine, stopAll } from './run.ts'
import { benchSearch } from './search.ts'
import { benchSystemCalls } from './system-calls.ts'
import { benchTable } from './table/table.ts'

const subjects: Record<string, Benchmark> = {
  table: benchTable,
  calls: benchSystemCalls,
  listing: benchListing,
  search: benchSearch,
  checksum: benchChecksum,
  archive: benchArchive,
  page: benchPage,
  publish: benchPublish,
  operations: benchOperations,
  links: benchLinks,
  bounds: benchLimits,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '1G' },
    runs: { type: 'string', default: '5' },
    folder: { type: 'string', default: tmpdir() },
    pin: { type: 'string' },
    rest: { type: 'string', default: '60' },
    lines: { type: 'string', default: '' },
    before: { type: 'string' },
    'keep-caches': { type: 'boolean', default: false },
  },
})

const named = positionals.length ? positionals : ['table', 'calls']
const chosen = named.includes('all') ? Object.keys(subjects) : named
const unknown = chosen.filter((name) => !subjects[name])
const size = bytesOf(values.size)
const runs = Number(values.runs)
const restSeconds = Number(values.rest)
if (unknown.length || !size || !Number.isInteger(runs) || runs < 1 || !(restSeconds >= 0)) {
  console.error(
    `Usage: npm run bench -- [${Object.keys(subjects).join(' | ')} | all] [--size 64M] [--runs 5] [--folder DIR]
The table and the page: [--lines TEXT] [--before FILE]. The table only: [--pin PROCESSORS] [--rest SECONDS] [--keep-caches]`,
  )
  process.exit(2)
}

const folder = await realpath(await mkdtemp(join(values.folder, 'coffer-bench-')))
process.once('SIGINT', () => void leave().finally(() => process.exit(130)))
process.once('SIGTERM', () => void leave().finally(() => process.exit(143)))
try {
  console.log(`${cpus().length} processors, Node ${process.version}, ${values.size}, ${runs} runs\n`)
  const dropsCaches = !values['keep-caches'] && (await canDropCaches())
  const { lines, pin, before } = values
  const optional = { ...(pin !== undefined && { pin }), ...(before !== undefined && { before }) }
  for (const name of chosen)
    if (!isEnding()) await run(name, { folder, size, runs, restSeconds, dropsCaches, lines, ...optional })
} finally {
  await leave()
}

/** Runs one subject. Prints its error if it fails, so that the other subjects still run. */
async function run(name: string, bench: Bench): Promise<void> {
  try {
    for (const line of (await subjects[name]?.(bench)) ?? []) print(line)
  } catch (error) {
    console.error(`${name} could not be measured: ${(error as Error).message}`)
    process.exitCode = 1
  } finally {
    await stopAll()
  }
}

function print({ what, ours, peer, ratio, how }: ResultLine): void {
  console.log([what, ours, peer || '-', ratio === undefined ? '-' : ratio.toFixed(2)].join(' · '))
  console.log(`    ${how}`)
}

async function leave(): Promise<void> {
  await endAll()
  // Again and again, because a subject that was interrupted may still be writing files.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** Whether this process may empty the page cache. Opening the file alone changes nothing. */
async function canDropCaches(): Promise<boolean> {
  try {
    await (await open('/proc/sys/vm/drop_caches', 'w')).close()
    return true
  } catch {
    return false // not root, or not Linux, or a container
  }
}

function bytesOf(size: string): number {
  const [, digits, unit = ''] = /^(\d+)([KMG]?)$/i.exec(size) ?? []
  return Number(digits ?? 0) * { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[unit.toUpperCase() as 'K']
}
