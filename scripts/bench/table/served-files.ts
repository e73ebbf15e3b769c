// The folder that all programs of the table serve.
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeEmpty, writeLarge, writeTexts } from '../files.ts'

/** The paths in the served folder. */
export const served = {
  small: 'small.txt',
  large: 'large/film.mp4',
  largeFolder: 'large',
  texts: 'texts',
  empty: 'empty',
  uploads: 'uploads',
}

export const textCount = 20_000
export const emptyCount = 100_000

/** Fills the served folder. `size` is that of the large file, in bytes. */
export async function fillServed(root: string, size: number): Promise<void> {
  for (const folder of [served.uploads, served.largeFolder])
    await mkdir(join(root, folder), { recursive: true })
  await writeFile(join(root, served.small), 'hello\n')
  await writeLarge(join(root, served.large), size)
  await writeTexts(join(root, served.texts), textCount, 1024)
  await writeEmpty(join(root, served.empty), emptyCount)
}

/**
 * Reads everything once. The disk of a virtual machine may have a cache of its own, which cannot be emptied: without this,
 * the cold run of the first program would be slower than those of the others.
 */
export async function readServed(root: string): Promise<void> {
  for (const folder of [served.texts, served.empty]) {
    for (const name of await readdir(join(root, folder))) {
      const file = join(root, folder, name)
      await (folder === served.texts ? readFile(file) : stat(file))
    }
  }
  for await (const _ of createReadStream(join(root, served.large)));
}
