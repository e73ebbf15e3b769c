import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { startCoffer } from './coffer.ts'
import { writeLarge } from './download.ts'
import { startNginx } from './nginx.ts'
import { type Bench, find, gigabytes, type ResultLine, runAlternating, start, stop } from './run.ts'
import { type RawRequest, upload } from './wire.ts'

const piece = randomBytes(2 ** 20)

/** Measures the upload of one large file, compared with PUT of nginx, which does not flush, and dd, which flushes. */
export async function benchUpload(bench: Bench): Promise<ResultLine[]> {
  const coffer = await startCoffer(join(bench.folder, 'upload'))
  const port = await startNginx(coffer.root, join(bench.folder, 'upload-nginx'))
  const put = (call: RawRequest) =>
    measured(join(coffer.root, 'new.bin'), bench.size, () => upload(call, bench.size, piece))
  const dd = await find('dd')
  const source = join(bench.folder, 'source.bin')
  await writeLarge(source, bench.size)
  const rates = await runAlternating(
    {
      ours: () =>
        put({
          port: coffer.port,
          method: 'POST',
          path: '/api/resources/new.bin?override=true',
          headers: coffer.headers,
        }),
      ...(port === undefined ? {} : { nginx: () => put({ port, method: 'PUT', path: '/new.bin' }) }),
      ...(dd === undefined ? {} : { dd: () => copy(dd, source, join(coffer.root, 'new.bin'), bench.size) }),
    },
    bench.runs,
  )
  await stop(coffer.child)
  const { ours = Number.NaN, ...peers } = rates
  const slowest = Math.min(...Object.values(peers))
  const named = Object.entries({ nginx: undefined, dd: undefined, ...peers }).map(([name, rate]) =>
    rate === undefined ? `${name} is not installed` : `${name} ${gigabytes(rate)}`,
  )
  return [
    {
      what: `upload, ${bench.size / 2 ** 20} MiB`,
      ours: gigabytes(ours),
      peer: `${named.join(', ')} (≥ 1.0 of the slower one)`,
      ...(Number.isFinite(slowest) ? { ratio: ours / slowest } : {}),
      how: `one client on loopback, same folder; Coffer and dd (bs=1M conv=fsync) flush to disk, nginx does not; median of ${bench.runs} alternating runs`,
    },
  ]
}

/** Measures one upload. Fails when the file is incomplete. Removes the file, so that each run creates a new one. */
async function measured(path: string, size: number, work: () => Promise<number>): Promise<number> {
  await rm(path, { force: true })
  const rate = await work()
  const arrived = (await stat(path)).size
  await rm(path)
  if (arrived !== size) throw new Error(`only ${arrived} of ${size} bytes were stored`)
  return rate
}

function copy(dd: string, source: string, target: string, size: number): Promise<number> {
  return measured(target, size, async () => {
    const startMs = performance.now()
    const args = [`if=${source}`, `of=${target}`, 'bs=1M', 'conv=fsync', 'status=none']
    const [code] = await once(start(dd, args), 'exit')
    if (code !== 0) throw new Error(`dd exited with ${code}`)
    return size / ((performance.now() - startMs) / 1000)
  })
}
