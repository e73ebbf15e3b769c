import { posix } from 'node:path'
import { open } from '#src/files/paths/disk.ts'
import { everyEntry } from '#src/files/paths/read-folder.ts'

/** A file below a folder. */
export interface TreeFile {
  /** Path from the folder. */
  path: string
  bytes: Buffer
}

/**
 * Reads all files below a folder that a program of Coffer has just written. Leaves out symbolic links.
 *
 * @param limit the largest number of files, and of bytes together
 * @returns undefined when there is more
 */
export async function readTree(
  folder: string,
  limit: { files: number; bytes: number },
): Promise<TreeFile[] | undefined> {
  const paths = await pathsIn(folder)
  if (paths.length > limit.files) return undefined
  const files: TreeFile[] = []
  let left = limit.bytes
  for (const path of paths) {
    const bytes = await readUpTo(posix.join(folder, path), left)
    if (!bytes) return undefined
    left -= bytes.length
    files.push({ path, bytes })
  }
  return files
}

async function pathsIn(folder: string): Promise<string[]> {
  const paths: string[] = []
  const folders = ['']
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    for (const entry of await everyEntry(posix.join(folder, path))) {
      const inside = posix.join(path, entry.name)
      if (entry.isDirectory()) folders.push(inside)
      if (entry.isFile()) paths.push(inside)
    }
  }
  return paths
}

/** Reads a file; undefined when it is larger than `most`. */
async function readUpTo(address: string, most: number): Promise<Buffer | undefined> {
  await using file = await open(address)
  return (await file.stat()).size > most ? undefined : await file.readFile()
}
