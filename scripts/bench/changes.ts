import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Coffer, executable, startCoffer } from './coffer.ts'
import { type Bench, exists, median, type ResultLine, runAlternating, stop } from './run.ts'

const mostEntries = 100_000
const uploads = 1000
const concurrent = 8
const content = Buffer.alloc(10 * 1024, 'x')

/** The executable of an earlier version, which uploads are compared with. Undefined: none. */
const earlier = process.env.COFFER_BENCH_EARLIER

/** Measures the deletion of a large folder, its undo, and uploads of small files. */
export async function benchChanges(bench: Bench): Promise<ResultLine[]> {
  return [...(await measureDeletion(bench)), await measureUploads(bench)]
}

async function measureDeletion({ folder, size, runs }: Bench): Promise<ResultLine[]> {
  const entries = Math.min(mostEntries, Math.round(size / 10_000))
  const coffer = await startCoffer(join(folder, 'deletion'))
  const times = { trash: [] as number[], undo: [] as number[], permanent: [] as number[] }
  for (let run = 0; run < runs; run++) {
    await fill(join(coffer.root, 'many'), entries)
    const deleted = await timed(coffer, 'DELETE', '/api/resources/many')
    const undone = await timed(coffer, 'POST', `/api/operations/${deleted.operation}/undo`)
    const permanent = await timed(coffer, 'DELETE', '/api/resources/many?permanent=true')
    for (const [name, { ms }] of Object.entries({ trash: deleted, undo: undone, permanent }))
      times[name as keyof typeof times].push(ms)
  }
  await stop(coffer.child)
  const [trash, undo, permanent] = [times.trash, times.undo, times.permanent].map(median) as [
    number,
    number,
    number,
  ]
  const peer = `permanent deletion ${permanent.toFixed(0)} ms`
  const how = `until the response, median of ${runs}, limit 50 ms`
  return [
    {
      what: `deletion of ${entries} files to the trash`,
      ours: `${trash.toFixed(1)} ms`,
      peer,
      ratio: trash / permanent,
      how,
    },
    { what: 'its undo', ours: `${undo.toFixed(1)} ms`, peer, ratio: undo / permanent, how },
  ]
}

async function fill(folder: string, entries: number): Promise<void> {
  await mkdir(folder)
  for (let from = 0; from < entries; from += 1000) {
    const names = Array.from({ length: Math.min(1000, entries - from) }, (_, n) => `file-${from + n}`)
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')))
  }
}

async function timed(
  { port, headers }: Coffer,
  method: string,
  url: string,
): Promise<{ ms: number; operation: string | null }> {
  const began = performance.now()
  const reply = await fetch(`http://127.0.0.1:${port}${url}`, { method, headers })
  const text = await reply.text()
  const ms = performance.now() - began
  if (!reply.ok) throw new Error(`${method} ${url}: ${text}`)
  return { ms, operation: reply.headers.get('x-operation') }
}

async function measureUploads({ folder, runs }: Bench): Promise<ResultLine> {
  const program = (await exists(executable)) ? executable : undefined
  const ours = await startCoffer(join(folder, 'uploads'), program)
  const peer = earlier ? await startCoffer(join(folder, 'earlier'), earlier) : undefined
  let round = 0
  const rate = (coffer: Coffer) => async () => uploadsPerSecond(coffer, round++)
  const rates = await runAlternating({ ours: rate(ours), ...(peer && { peer: rate(peer) }) }, runs)
  for (const coffer of [ours, peer]) if (coffer) await stop(coffer.child)
  const own = rates.ours ?? Number.NaN
  return {
    what: `${uploads} uploads of 10 KiB`,
    ours: `${own.toFixed(0)} per second`,
    peer: rates.peer === undefined ? '' : `${rates.peer.toFixed(0)} per second of the earlier version`,
    ...(rates.peer !== undefined && { ratio: own / rates.peer }),
    how: `${concurrent} at the same time, median of ${runs}, limit 0.9 of the earlier version, whose executable is COFFER_BENCH_EARLIER`,
  }
}

async function uploadsPerSecond({ port, headers }: Coffer, round: number): Promise<number> {
  let next = 0
  const began = performance.now()
  const upload = async () => {
    while (next < uploads) {
      const url = `http://127.0.0.1:${port}/api/resources/round-${round}-${next++}.bin`
      const reply = await fetch(url, { method: 'POST', headers, body: content })
      if (!reply.ok) throw new Error(await reply.text())
      await reply.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: concurrent }, upload))
  return (uploads / (performance.now() - began)) * 1000
}
