// npm run bench -- [subject …] [--size 64M] [--runs 5] [--folder DIR]: compares Coffer's speed with other programs.
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchArchive } from './archive.ts'
import { benchPeers } from './beside.ts'
import { benchLimits } from './bounds.ts'
import { benchChecksum } from './checksum.ts'
import { benchDownload } from './download.ts'
import { benchListing } from './listing.ts'
import { benchOperations } from './operations.ts'
import { benchPublish } from './publish.ts'
import { benchRequests } from './requests.ts'
import { type Bench, type Benchmark, type ResultLine, stopAll } from './run.ts'
import { benchSearch } from './search.ts'
import { benchStart } from './start.ts'
import { benchUpload } from './upload.ts'

const subjects: Record<string, Benchmark> = {
  start: benchStart,
  download: benchDownload,
  upload: benchUpload,
  listing: benchListing,
  requests: benchRequests,
  search: benchSearch,
  checksum: benchChecksum,
  archive: benchArchive,
  publish: benchPublish,
  operations: benchOperations,
  beside: benchPeers,
  bounds: benchLimits,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '1G' },
    runs: { type: 'string', default: '5' },
    folder: { type: 'string', default: tmpdir() },
  },
})

const chosen = positionals.length ? positionals : Object.keys(subjects)
const unknown = chosen.filter((name) => !subjects[name])
const size = bytesOf(values.size)
const runs = Number(values.runs)
if (unknown.length || !size || !Number.isInteger(runs) || runs < 1) {
  console.error(
    `Usage: npm run bench -- [${Object.keys(subjects).join(' | ')}] [--size 64M] [--runs 5] [--folder DIR]`,
  )
  process.exit(2)
}

const folder = await realpath(await mkdtemp(join(values.folder, 'coffer-bench-')))
process.once('SIGINT', () => void leave().then(() => process.exit(130)))
process.once('SIGTERM', () => void leave().then(() => process.exit(143)))
try {
  console.log(`${cpus().length} processors, Node ${process.version}, ${values.size}, ${runs} runs\n`)
  for (const name of chosen) await run(name, { folder, size, runs })
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
  await stopAll()
  await rm(folder, { recursive: true, force: true })
}

function bytesOf(size: string): number {
  const [, digits, unit = ''] = /^(\d+)([KMG]?)$/i.exec(size) ?? []
  return Number(digits ?? 0) * { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[unit.toUpperCase() as 'K']
}
