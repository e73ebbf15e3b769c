import { join } from 'node:path'
import { type Coffer, startCoffer } from './coffer.ts'
import { writeEmpty } from './files.ts'
import { type Bench, median, type ResultLine, stop } from './run.ts'

const folders = 2000
const filesEach = 100

/** Measures a search in a large tree without an index: the time to the first hit, and to the end. */
export async function benchSearch(bench: Bench): Promise<ResultLine[]> {
  const coffer = await startCoffer(join(bench.folder, 'search'))
  await fill(coffer.root)
  await search(coffer)
  const runs = []
  for (let run = 0; run < bench.runs; run++) runs.push(await search(coffer))
  await stop(coffer.child)
  const how = `GET /api/search over ${folders * filesEach} files, ${runs[0]?.hits} hits, median of ${bench.runs} runs after one warm-up run`
  return [
    {
      what: 'search: first result',
      ours: `${median(runs.map((run) => run.firstMs)).toFixed(0)} ms`,
      peer: '≤ 100 ms',
      how,
    },
    {
      what: 'search: all results',
      ours: `${median(runs.map((run) => run.allMs)).toFixed(0)} ms`,
      peer: '≤ 1000 ms',
      how,
    },
  ]
}

async function search({ port, headers }: Coffer) {
  const startMs = performance.now()
  const reply = await fetch(`http://127.0.0.1:${port}/api/search/?query=77`, {
    headers: { ...headers, accept: 'application/x-ndjson' },
  })
  let firstMs = 0
  let hits = 0
  for await (const chunk of reply.body ?? []) {
    firstMs ||= performance.now() - startMs
    hits += chunk.filter((byte: number) => byte === 10).length
  }
  return { firstMs, allMs: performance.now() - startMs, hits }
}

async function fill(root: string): Promise<void> {
  for (let folder = 0; folder < folders; folder++) await writeEmpty(join(root, `folder ${folder}`), filesEach)
}
