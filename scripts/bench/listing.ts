import { join } from 'node:path'
import { type Coffer, startCoffer } from './coffer.ts'
import { writeEmpty } from './files.ts'
import { type Bench, median, type ResultLine, stop } from './run.ts'
import { download, measureDelayDuring } from './wire.ts'

const sizes = [10_000, 100_000]
const limit = { entries: 100_000, ms: 600 }

/** Measures listings of large folders: the time to the last byte, and the delay of other requests meanwhile. */
export async function benchListing(bench: Bench): Promise<ResultLine[]> {
  const coffer = await startCoffer(join(bench.folder, 'listing'))
  const lines: ResultLine[] = []
  for (const entries of sizes) {
    await writeEmpty(join(coffer.root, String(entries)), entries)
    await list(coffer, entries)
    const runs = []
    const alone: number[] = []
    for (let run = 0; run < bench.runs; run++) {
      alone.push(await listAlone(coffer, entries))
      runs.push(await list(coffer, entries))
    }
    const how = `GET /api/resources, median of ${bench.runs} runs after one warm-up run`
    const megabytes = ((runs[0]?.bytes ?? 0) / 1e6).toFixed(1)
    lines.push(
      {
        what: `listing of ${entries} files`,
        ours: `${median(alone).toFixed(0)} ms`,
        ...(entries === limit.entries
          ? { peer: `limit ${limit.ms} ms`, ratio: median(alone) / limit.ms }
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
  await stop(coffer.child)
  return lines
}

async function listAlone({ port, headers }: Coffer, entries: number): Promise<number> {
  const startMs = performance.now()
  await download({ port, method: 'GET', path: `/api/resources/${entries}/`, headers }, 0)
  return performance.now() - startMs
}

async function list({ port, headers }: Coffer, entries: number) {
  const startMs = performance.now()
  // Read without an HTTP parser, because a busy client would measure its own delay.
  const listing = download({ port, method: 'GET', path: `/api/resources/${entries}/`, headers }, 0)
  const { result, delayMs } = await measureDelayDuring(port, listing)
  const ms = performance.now() - startMs
  return { bytes: (result * ms) / 1000, ms, delayMs }
}
