// The files that the benchmarks serve.
import { randomBytes } from 'node:crypto'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One mebibyte that no program can compress. */
export const piece = randomBytes(2 ** 20)

/** Writes a file that repeats one mebibyte of random bytes. */
export async function writeLarge(path: string, size: number): Promise<void> {
  const file = await open(path, 'w')
  for (let left = size; left > 0; left -= piece.length)
    await file.write(piece, 0, Math.min(left, piece.length))
  await file.datasync()
  await file.close()
}

/** Creates a folder with `count` empty files. */
export async function writeEmpty(folder: string, count: number): Promise<void> {
  await mkdir(folder)
  for (let from = 0; from < count; from += 500) {
    const some = Array.from({ length: Math.min(500, count - from) }, (_, i) => `file ${from + i}.txt`)
    await Promise.all(some.map((name) => open(join(folder, name), 'w').then((file) => file.close())))
  }
}

/** Creates a folder with `count` text files of `size` bytes. Each text is different. */
export async function writeTexts(folder: string, count: number, size: number): Promise<void> {
  await mkdir(folder)
  const words = Array.from({ length: 2000 }, (_, at) => ((at * 2654435761) % 2 ** 32).toString(36))
  for (let file = 0; file < count; file++) {
    const text = Array.from({ length: 200 }, (_, at) => words[(file * 7919 + at * at * 31) % words.length])
    await writeFile(join(folder, `file-${file}.txt`), text.join(' ').slice(0, size))
  }
}
