import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startCoffer } from './coffer.ts'
import { writeLarge } from './files.ts'
import { type Bench, find, gigabytes, type ResultLine, runAlternating, stop } from './run.ts'
import { measureDelayDuring } from './wire.ts'

const run = promisify(execFile)

/** Measures SHA-256 of one large file, compared with `sha256sum`, and the delay of other requests meanwhile. */
export async function benchChecksum(bench: Bench): Promise<ResultLine[]> {
  const coffer = await startCoffer(join(bench.folder, 'checksum'))
  const file = join(coffer.root, 'big.bin')
  await writeLarge(file, bench.size)
  const peer = await find('sha256sum')
  const { port, headers } = coffer
  const url = `http://127.0.0.1:${port}/api/resources/big.bin?checksum=sha256`
  const rate = async (work: () => Promise<unknown>) => {
    const startMs = performance.now()
    await work()
    return bench.size / ((performance.now() - startMs) / 1000)
  }
  let delay = 0
  const ours = () =>
    rate(async () => {
      const { delayMs } = await measureDelayDuring(
        port,
        fetch(url, { headers }).then((reply) => reply.json()),
      )
      delay = Math.max(delay, delayMs)
    })
  await ours()
  delay = 0
  const rates = await runAlternating(
    { ours, ...(peer && { sha256sum: () => rate(() => run(peer, [file])) }) },
    bench.runs,
  )
  await stop(coffer.child)
  const { ours: own = Number.NaN, sha256sum } = rates
  const how = `${bench.size / 2 ** 20} MiB in memory, median of ${bench.runs} alternating runs`
  return [
    {
      what: 'checksum sha256',
      ours: gigabytes(own),
      peer:
        sha256sum === undefined ? 'sha256sum is not installed' : `sha256sum ${gigabytes(sha256sum)} (≥ 0.8)`,
      ...(sha256sum !== undefined && { ratio: own / sha256sum }),
      how,
    },
    {
      what: 'another request during the checksum',
      ours: `${delay.toFixed(0)} ms`,
      peer: '≤ 50 ms',
      how: `slowest GET /health; ${how}`,
    },
  ]
}
