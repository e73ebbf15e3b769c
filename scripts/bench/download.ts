import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { startCoffer } from './coffer.ts'
import { startNginx } from './nginx.ts'
import { type Bench, gigabytes, type ResultLine, runAlternating, stop } from './run.ts'
import { download } from './wire.ts'

/** Measures the download of one large file, compared with nginx without sendfile: both copy in user space. */
export async function benchDownload(bench: Bench): Promise<ResultLine[]> {
  const coffer = await startCoffer(join(bench.folder, 'download'))
  await writeLarge(join(coffer.root, 'big.bin'), bench.size)
  const port = await startNginx(coffer.root, join(bench.folder, 'download-nginx'))
  const get = (from: number, path: string, headers = {}) =>
    download({ port: from, method: 'GET', path, headers }, bench.size)
  const ours = () => get(coffer.port, '/api/raw/big.bin', coffer.headers)
  // The first run loads the file into the page cache, which both servers use.
  await ours()
  const rates = await runAlternating(
    { ours, ...(port === undefined ? {} : { nginx: () => get(port, '/big.bin') }) },
    bench.runs,
  )
  await stop(coffer.child)
  const { ours: own = Number.NaN, nginx } = rates
  return [
    {
      what: `download, ${bench.size / 2 ** 20} MiB`,
      ours: gigabytes(own),
      peer: nginx === undefined ? 'nginx is not installed' : `nginx ${gigabytes(nginx)} (≥ 0.8)`,
      ...(nginx === undefined ? {} : { ratio: own / nginx }),
      how: `one client on loopback, file in memory, sendfile off, median of ${bench.runs} alternating runs`,
    },
  ]
}

/** Writes a file that repeats one mebibyte of random bytes. */
export async function writeLarge(path: string, size: number): Promise<void> {
  const piece = randomBytes(2 ** 20)
  const file = await open(path, 'w')
  for (let left = size; left > 0; left -= piece.length)
    await file.write(piece, 0, Math.min(left, piece.length))
  await file.datasync()
  await file.close()
}
