import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Coffer, startCoffer } from './coffer.ts'
import { writeEmpty } from './files.ts'
import { type Bench, median, type ResultLine, stop } from './run.ts'
import { download, downloadedBytes, measureDelayDuring } from './wire.ts'

const sizes = [10_000, 100_000]
const compressedEntries = 5000
const limit = { entries: 100_000, ms: 600 }

/**
 * Measures listings of large folders: the time to the last byte, the delay of other requests meanwhile, and what
 * compression saves and costs.
 */
export async function benchListing(bench: Bench): Promise<ResultLine[]> {
  const coffer = await startCoffer(join(bench.folder, 'listing'))
  const lines: ResultLine[] = []
  for (const entries of sizes) {
    await writeEmpty(join(coffer.root, String(entries)), entries)
    await list(coffer, entries)
    const runs = []
    const alone: Timed[] = []
    for (let run = 0; run < bench.runs; run++) {
      alone.push(await listAlone(coffer, entries))
      runs.push(await list(coffer, entries))
    }
    const how = `GET /api/resources, median of ${bench.runs} runs after one warm-up run`
    const aloneMs = median(alone.map(({ ms }) => ms))
    const megabytes = ((runs[0]?.bytes ?? 0) / 1e6).toFixed(1)
    lines.push(
      {
        what: `listing of ${entries} files`,
        ours: `${aloneMs.toFixed(0)} ms`,
        ...(entries === limit.entries
          ? { peer: `limit ${limit.ms} ms`, ratio: aloneMs / limit.ms }
          : { peer: '' }),
        how: `until the last byte of ${megabytes} MB; ${how}; ${median(runs.map((run) => run.ms)).toFixed(0)} ms during constant other requests`,
      },
      {
        what: `another request during the listing`,
        ours: `${median(runs.map((run) => run.delayMs)).toFixed(0)} ms`,
        peer: '',
        how: `slowest of successive GET /health during the listing of ${entries} files`,
      },
    )
  }
  for (const entries of [compressedEntries, limit.entries])
    for (const coding of ['br', 'gzip'])
      lines.push(...(await benchCompressed(coffer, { bench, entries, coding })))
  await stop(coffer.child)
  return lines
}

/** Compares the size and the time of a compressed listing with those of the same listing as it is. */
async function benchCompressed(
  coffer: Coffer,
  { bench, entries, coding }: { bench: Bench; entries: number; coding: string },
): Promise<ResultLine[]> {
  const folder = join(coffer.root, String(entries))
  if (!existsSync(folder)) await writeEmpty(folder, entries)
  await listAlone(coffer, entries, coding)
  const plain: Timed[] = []
  const sent: Timed[] = []
  for (let run = 0; run < bench.runs; run++) {
    plain.push(await listAlone(coffer, entries))
    sent.push(await listAlone(coffer, entries, coding))
  }
  const of = (runs: readonly Timed[], what: 'ms' | 'bytes') => median(runs.map((one) => one[what]))
  const how = `GET /api/resources with and without Accept-Encoding: ${coding}, in turn, median of ${bench.runs} runs after one warm-up run`
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`
  return [
    {
      what: `size of a listing of ${entries} files with ${coding}`,
      ours: kilobytes(of(sent, 'bytes')),
      peer: `${kilobytes(of(plain, 'bytes'))} without`,
      ratio: of(sent, 'bytes') / of(plain, 'bytes'),
      how,
    },
    {
      what: `time of a listing of ${entries} files with ${coding}`,
      ours: `${of(sent, 'ms').toFixed(0)} ms`,
      peer: `${of(plain, 'ms').toFixed(0)} ms without`,
      ratio: of(sent, 'ms') / of(plain, 'ms'),
      how: `until the last byte, over loopback; ${how}`,
    },
  ]
}

/** The time until the last byte of a listing, and its size. */
interface Timed {
  ms: number
  bytes: number
}

async function listAlone({ port, headers }: Coffer, entries: number, coding?: string): Promise<Timed> {
  const startMs = performance.now()
  const all = { ...headers, ...(coding && { 'Accept-Encoding': coding }) }
  const bytes = await downloadedBytes({
    port,
    method: 'GET',
    path: `/api/resources/${entries}/`,
    headers: all,
  })
  return { ms: performance.now() - startMs, bytes }
}

async function list({ port, headers }: Coffer, entries: number) {
  const startMs = performance.now()
  // Read without an HTTP parser, because a busy client would measure its own delay.
  const listing = download({ port, method: 'GET', path: `/api/resources/${entries}/`, headers }, 0)
  const { result, delayMs } = await measureDelayDuring(port, listing)
  const ms = performance.now() - startMs
  return { bytes: (result * ms) / 1000, ms, delayMs }
}
