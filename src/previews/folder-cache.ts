import { mkdir, readFile, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '#src/core/secret.ts'
import { privateNames } from '#src/files/paths/read-folder.ts'
import { freeBeyondReserve } from '#src/files/space/disk-reserve.ts'

/** A cache entry. */
export interface CacheEntry {
  bytes: Buffer
  /** Milliseconds since the entry was stored or last read, with the accuracy of the file's modification time. */
  ageMs: number
}

// Reading a file updates its modification time, so that the least recently used files are removed first. Once a day is
// enough.
const dayMs = 24 * 60 * 60_000
// A sweep reduces the cache to this part of the limits, so that sweeps are rare.
const sweepTarget = 0.75
// Disks allocate whole blocks: a file of seven bytes also takes one block.
const blockBytes = 4096

/** Limits of a cache. */
interface Limits {
  /** Bytes on the disk, in whole blocks. */
  bytes: number
  files: number
  /** Entries that were not read during this time are removed. */
  ageMs: number
}

/**
 * LRU cache in the files of `folder`, up to `limits.bytes` and `limits.files` in total. Removes the least recently used
 * entries first. Entries older than `limits.ageMs` are removed at the first write after a start and once a day. The
 * folder may be deleted at any time. Disk errors are ignored: the entry is then not stored. Keys are file names of at
 * least two letters, digits, `-` and `_`.
 */
export function createFolderCache(folder: string, limits: Limits, clock: () => number) {
  // Undefined: not counted yet. Counting begins at the first write, so that the start does not read a large folder.
  let counting: Promise<Count> | undefined
  let sweeping: Promise<void> | undefined
  let sweptAt = Number.NEGATIVE_INFINITY

  const pathOf = (key: string) => join(folder, key.slice(0, 2), key)
  const exceedsLimits = ({ bytes, files }: Count) => bytes > limits.bytes || files > limits.files

  async function sweep(count: Count): Promise<void> {
    sweptAt = clock()
    const before = { ...count }
    const found = await filesIn(folder)
    const remaining = sum(found)
    const share = exceedsLimits(remaining) ? sweepTarget : 1
    const isEnough = () => remaining.bytes <= limits.bytes * share && remaining.files <= limits.files * share
    for (const { path, bytes, mtimeMs } of found.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (isEnough() && sweptAt - mtimeMs <= limits.ageMs) break
      await rm(path, { force: true })
      remaining.bytes -= bytes
      remaining.files--
    }
    // Adds what was written meanwhile.
    count.bytes += remaining.bytes - before.bytes
    count.files += remaining.files - before.files
  }

  async function write(key: string, bytes: Uint8Array): Promise<void> {
    const file = pathOf(key)
    await mkdir(join(folder, key.slice(0, 2)), { recursive: true, mode: 0o700 })
    // The cache must not use the reserved free space of the disk.
    const room = freeBeyondReserve(await statfs(folder))
    if (room !== undefined && room < bytes.length) return
    counting ??= filesIn(folder).then(sum)
    const count = await counting
    // Readers see a complete file or none. A sweep also removes unfinished files that a crash has left.
    const unfinished = `${file}.${randomId(6)}`
    try {
      await writeFile(unfinished, bytes, { mode: 0o600, flag: 'wx' })
      await rename(unfinished, file)
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined) // the first error is more useful
      throw error
    }
    count.bytes += onDisk(bytes.length)
    count.files++
    if (!exceedsLimits(count) && clock() - sweptAt <= dayMs) return
    sweeping ??= sweep(count).finally(() => {
      sweeping = undefined
    })
    await sweeping
  }

  return {
    /** The entry for `key`; undefined when there is none. */
    async get(key: string): Promise<CacheEntry | undefined> {
      try {
        const file = pathOf(key)
        const [bytes, { mtimeMs }] = await Promise.all([readFile(file), stat(file)])
        const now = clock()
        if (now - mtimeMs > dayMs) await utimes(file, now / 1000, now / 1000)
        return { bytes, ageMs: now - mtimeMs }
      } catch {
        return undefined // missing or unreadable: a cache miss
      }
    },
    /** Stores `bytes` for `key`, if possible. */
    async put(key: string, bytes: Uint8Array): Promise<void> {
      await write(key, bytes).catch(() => undefined) // no space or no permission: created again at the next request
    },
    /** Removes the entry for `key`, if there is one. */
    async remove(key: string): Promise<void> {
      await rm(pathOf(key), { force: true }).catch(() => undefined)
    },
  }
}

/** The size of the cache. */
interface Count {
  bytes: number
  files: number
}

async function filesIn(folder: string): Promise<{ path: string; bytes: number; mtimeMs: number }[]> {
  const found = []
  for (const part of await privateNames(folder)) {
    for (const name of await privateNames(join(folder, part)).catch(() => [])) {
      const path = join(folder, part, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats) found.push({ path, bytes: onDisk(stats.size), mtimeMs: stats.mtimeMs })
    }
  }
  return found
}

function onDisk(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes
}

function sum(found: readonly { bytes: number }[]): Count {
  return { bytes: found.reduce((total, { bytes }) => total + bytes, 0), files: found.length }
}
