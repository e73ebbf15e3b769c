import { createWriteStream, readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack } from 'tar-fs'
import { ZipFile } from 'yazl'
import { type Coffer, executable, startCoffer } from './coffer.ts'
import { writeLarge, writeTexts } from './files.ts'
import {
  type Bench,
  exists,
  find,
  gigabytes,
  type ResultLine,
  residentMb,
  runAlternating,
  start,
  stop,
} from './run.ts'
import { download } from './wire.ts'

const manyFiles = 20_000
const smallBytes = 1024
const compressed = ['targz', 'tarbz2', 'tarxz', 'tarlz4', 'tarsz', 'tarzst', 'tarbr']

/**
 * Measures archives: many small files as a zip, compared with Info-ZIP and yazl; one large file as zip (stored) and
 * tar, compared with its plain download, yazl and tar-fs; each compression; and the maximum memory of all of that.
 */
export async function benchArchive(bench: Bench): Promise<ResultLine[]> {
  const coffer = await startCoffer(join(bench.folder, 'archive'))
  await writeTexts(join(coffer.root, 'many'), manyFiles, smallBytes)
  await mkdir(join(coffer.root, 'large'))
  await writeLarge(join(coffer.root, 'large/film.mp4'), bench.size)
  const idle = (await residentMb(coffer.child.pid ?? 0)) ?? Number.NaN
  let most = idle
  const watch = setInterval(async () => {
    most = Math.max(most, (await residentMb(coffer.child.pid ?? 0)) ?? 0)
  }, 100)
  try {
    const lines = [
      await many(coffer, bench),
      ...(await large(coffer, bench)),
      ...(await compressions(coffer)),
    ]
    const how = `maximum resident memory during all runs above, minus ${Math.round(idle)} MB when idle; runs the source code`
    const memory = { what: 'archives: memory above idle', ...memoryOf(most - idle), how }
    return [...lines, memory, ...(await memoryLines(bench))]
  } finally {
    clearInterval(watch)
    await stop(coffer.child)
  }
}

const limitMb = 60

function memoryOf(mb: number): Pick<ResultLine, 'ours' | 'peer' | 'ratio'> {
  return { ours: `${Math.round(mb)} MB`, peer: `limit ${limitMb} MB`, ratio: mb / limitMb }
}

/**
 * Measures the maximum memory of the executable, above idle, while it sends one large file in each of three formats.
 */
async function memoryLines(bench: Bench): Promise<ResultLine[]> {
  if (!(await exists(executable))) return []
  const root = join(bench.folder, 'archive-memory')
  await mkdir(join(root, 'large'), { recursive: true })
  await writeLarge(join(root, 'large/text.txt'), bench.size)
  const lines: ResultLine[] = []
  for (const algorithm of ['tar', 'zip', 'tarxz']) {
    const coffer = await startCoffer(root, executable)
    const pid = coffer.child.pid ?? 0
    const idle = (await residentMb(pid)) ?? Number.NaN
    let most = idle
    const watch = setInterval(async () => {
      most = Math.max(most, (await residentMb(pid)) ?? 0)
    }, 100)
    await get(coffer, `/api/raw/large?algo=${algorithm}`).finally(() => clearInterval(watch))
    await stop(coffer.child)
    const what = `executable: memory above idle, ${bench.size / 2 ** 20} MiB as ${algorithm}`
    lines.push({
      what,
      ...memoryOf(most - idle),
      how: `maximum resident memory, minus ${Math.round(idle)} MB when idle`,
    })
  }
  return lines
}

async function many(coffer: Coffer, bench: Bench): Promise<ResultLine> {
  const folder = join(coffer.root, 'many')
  const zip = await find('zip')
  const seconds = async (work: () => Promise<unknown>) => {
    const startMs = performance.now()
    await work()
    return (performance.now() - startMs) / 1000
  }
  const figures = await runAlternating(
    {
      ours: () => seconds(() => get(coffer, '/api/raw/many')),
      yazl: () => seconds(() => yazlOf(folder, true)),
      ...(zip && { zip: () => seconds(() => infoZip(zip, folder)) }),
    },
    bench.runs,
  )
  const { ours = Number.NaN, yazl: library = Number.NaN, zip: tool } = figures
  return {
    what: `zip of ${manyFiles} files of ${smallBytes} bytes`,
    ours: `${ours.toFixed(2)} s (≤ 2)`,
    peer: `Info-ZIP ${tool?.toFixed(2) ?? 'is missing'} s, yazl ${library.toFixed(2)} s`,
    ...(tool !== undefined && { ratio: ours / tool }),
    how: `deflated, until the last byte, median of ${bench.runs} alternating runs; below 1 is faster than Info-ZIP`,
  }
}

async function large(coffer: Coffer, bench: Bench): Promise<ResultLine[]> {
  const folder = join(coffer.root, 'large')
  const rate = async (work: () => Promise<unknown>) => {
    const startMs = performance.now()
    await work()
    return bench.size / ((performance.now() - startMs) / 1000)
  }
  const figures = await runAlternating(
    {
      plain: () => rate(() => get(coffer, '/api/raw/large/film.mp4')),
      zip: () => rate(() => get(coffer, '/api/raw/large')),
      tar: () => rate(() => get(coffer, '/api/raw/large?algo=tar')),
      yazl: () => rate(() => yazlOf(folder, false)),
      tarFs: () => rate(() => drain(pack(folder))),
    },
    bench.runs,
  )
  const { plain = 0, zip = 0, tar = 0, yazl: library = 0, tarFs: packer = 0 } = figures
  const how = `rate relative to a plain download (${gigabytes(plain)}), median of ${bench.runs} alternating runs`
  const size = `${bench.size / 2 ** 20} MiB`
  return [
    {
      what: `zip (stored), ${size}`,
      ours: gigabytes(zip),
      peer: `plain download (≥ 0.5); yazl without output ${gigabytes(library)}`,
      ratio: zip / plain,
      how,
    },
    {
      what: `tar, ${size}`,
      ours: gigabytes(tar),
      peer: `plain download (≥ 0.5); tar-fs without output ${gigabytes(packer)}`,
      ratio: tar / plain,
      how,
    },
  ]
}

async function compressions(coffer: Coffer): Promise<ResultLine[]> {
  const lines: ResultLine[] = []
  for (const algorithm of compressed) {
    const startMs = performance.now()
    await get(coffer, `/api/raw/many?algo=${algorithm}`)
    const seconds = (performance.now() - startMs) / 1000
    const rate = `${((manyFiles * 1536) / 1e6 / seconds).toFixed(0)} MB/s of tar`
    lines.push({ what: algorithm, ours: rate, peer: '', how: `${manyFiles} small text files, one run` })
  }
  return lines
}

function get({ port, headers }: Coffer, path: string): Promise<number> {
  return download({ port, method: 'GET', path, headers }, 1)
}

async function yazlOf(folder: string, compress: boolean): Promise<void> {
  const zip = new ZipFile()
  for (const name of readdirSync(folder)) zip.addFile(join(folder, name), name, { compress })
  zip.end()
  await drain(zip.outputStream)
}

function drain(stream: Readable): Promise<void> {
  return pipeline(stream, createWriteStream('/dev/null'))
}

function infoZip(zip: string, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = start(zip, ['-q', '-r', '-', folder])
    child.once('error', reject).once('exit', (code) => (code ? reject(new Error(`zip: ${code}`)) : resolve()))
  })
}
