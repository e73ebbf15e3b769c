import { randomBytes } from 'node:crypto'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Coffer, startCoffer } from './coffer.ts'
import { writeLarge } from './download.ts'
import { type RequestKind, type RunningPeer, startPeers } from './peers.ts'
import { type Bench, type ResultLine, runAlternating, stop, stopAll } from './run.ts'
import { download, type RawRequest, upload } from './wire.ts'

const many = 10_000
const small = 500

/** The requests to Coffer that correspond to those to the other servers. */
const cofferRequests: Record<RequestKind, { method: RawRequest['method']; path: string }> = {
  download: { method: 'GET', path: '/api/raw/big.bin' },
  upload: { method: 'POST', path: '/api/resources/up.bin?override=true' },
  listing: { method: 'GET', path: '/api/resources/many/' },
  zip: { method: 'GET', path: '/api/raw/many/?algo=zip' },
  search: { method: 'GET', path: '/api/search/many/?query=77' },
  small: { method: 'GET', path: '/api/raw/small.txt' },
}

const what: Record<RequestKind, string> = {
  download: 'download of one large file',
  upload: 'upload of one large file',
  listing: `listing of a folder with ${many} files`,
  zip: `zip of the same folder`,
  search: 'search in the same folder',
  small: `${small} small files, one after another`,
}

/** Compares Coffer with other file servers, on the same folder, in alternating runs. */
export async function benchPeers(bench: Bench): Promise<ResultLine[]> {
  const lines: ResultLine[] = []
  for (const kind of Object.keys(cofferRequests) as RequestKind[]) {
    const coffer = await startCoffer(join(bench.folder, `beside-${kind}`))
    await fill(coffer.root, kind, bench.size)
    const { running, missing } = await startPeers(coffer.root, kind)
    lines.push(...(await compare(bench, kind, { coffer, running })))
    if (missing.length > 0)
      lines.push({
        what: what[kind],
        ours: '',
        peer: `${missing.join(', ')} not installed`,
        how: 'not measured',
      })
    await stop(coffer.child)
    await stopAll()
  }
  return lines
}

async function compare(
  bench: Bench,
  kind: RequestKind,
  { coffer, running }: { coffer: Coffer; running: RunningPeer[] },
): Promise<ResultLine[]> {
  const { port, headers } = coffer
  const contest = (call: RawRequest) => () => measure(kind, call, bench.size)
  const contestants: Record<string, () => Promise<number>> = {
    ours: contest({ ...cofferRequests[kind], port, headers }),
  }
  for (const peer of running) {
    contestants[peer.name] = contest({
      port: peer.port,
      method: kind === 'upload' ? 'PUT' : 'GET',
      path: peer.path,
    })
  }
  for (const warmUp of Object.values(contestants)) await warmUp()
  const times = await runAlternating(contestants, bench.runs)
  const ours = times.ours ?? Number.NaN
  return running.map(({ name }) => ({
    what: what[kind],
    ours: `${(ours * 1000).toFixed(1)} ms`,
    peer: `${name} ${((times[name] ?? Number.NaN) * 1000).toFixed(1)} ms (≥ 1)`,
    // The speed as a multiple of that of the peer.
    ratio: (times[name] ?? Number.NaN) / ours,
    how: `same folder, until the last byte, median of ${bench.runs} alternating runs after one warm-up run each`,
  }))
}

/** Returns the duration of a request, in seconds. */
async function measure(kind: RequestKind, call: RawRequest, size: number): Promise<number> {
  const startMs = performance.now()
  if (kind === 'upload') await upload(call, size, piece)
  else if (kind === 'small') for (let n = 0; n < small; n++) await download(call, 0)
  else await download(call, kind === 'download' ? size : 0)
  return (performance.now() - startMs) / 1000
}

const piece = randomBytes(2 ** 20)

async function fill(root: string, kind: RequestKind, size: number): Promise<void> {
  if (kind === 'download') await writeLarge(join(root, 'big.bin'), size)
  await writeFile(join(root, 'small.txt'), 'hello\n')
  if (!['listing', 'zip', 'search'].includes(kind)) return
  await mkdir(join(root, 'many'))
  for (let n = 0; n < many; n++) {
    const file = await open(join(root, 'many', `file ${n}.txt`), 'w')
    await file.write(piece.subarray(0, 1024))
    await file.close()
  }
}
