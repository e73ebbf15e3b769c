import { availableParallelism } from 'node:os'
import type { Writable } from 'node:stream'
import type { ArchiveAlgorithm } from '#contract/resources.ts'
import type { Recheck } from '#src/core/problem.ts'
import { foldName } from '#src/core/text/fold.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { createChunkWriter } from '#src/files/reading/reader.ts'
import { mostFolders, writeItems } from './collect-items.ts'
import type { CompressedBlock } from './compression/compress-block.ts'
import { plainOutput } from './compression/output.ts'
import { createPace } from './compression/pace.ts'
import { archiveFormats } from './formats/algorithms.ts'
import { type ArchiveFault, type Bounds, isFolder } from './formats/entry.ts'
import { freeName } from './formats/entry-name.ts'
import type { Names } from './list-names.ts'
import { itemsAtOnce, maxLarge, type Packed } from './pack-items.ts'
import type { ArchiveResult, ArchiveTask } from './tasks.ts'
import { createThreadReaders } from './thread-readers.ts'
import { type Root, walk } from './walk.ts'

/** The contents and the options of an archive. */
export interface Archive {
  algorithm: ArchiveAlgorithm
  roots: readonly Root[]
  /** Errors of items that could not be opened before the archive started. */
  faults: readonly ArchiveFault[]
  bounds: Bounds
  hideDotfiles: boolean
  /** Called before anything is read. */
  recheck: Recheck
}

/**
 * The maximum number of descriptors that one archive holds open: the folders on the path of the walk, the folders of
 * the names in two batches, the small files that two threads are reading, the large files of three batches, and a symbolic
 * link that is being followed.
 */
export const maxArchiveDescriptors = 18 + 2 * (mostFolders + itemsAtOnce) + 3 * maxLarge + 2

/** The maximum number of errors that `_errors.txt` lists. Further errors are only counted. */
const mostFaults = 10_000

// Two idle threads hold 55 MB. New threads need 100 ms more for an archive of 20,000 files: V8 compiles their code again.
const idleMs = 15_000

/** Creates the archiver. All archives share its threads. */
export function createArchiver() {
  const count = Math.min(availableParallelism(), threads.archive)
  // With the default of 1 MiB, collecting garbage takes 8 % of the time of an archive of small files.
  const semiSpaceMb = 4
  const workers = createWorkerPool<ArchiveTask, ArchiveResult>('archive', {
    threads: count,
    idleMs,
    semiSpaceMb,
  })
  const readers = createThreadReaders()

  return {
    /**
     * Writes an archive to `out`, as fast as the client reads it. `out` stays open. Files that cannot be read are
     * left out and listed in `_errors.txt`, the last entry.
     *
     * @throws the signal's reason, or the stream's error when the client disconnects. The archive is then incomplete.
     */
    async send(archive: Archive, out: Writable, signal: AbortSignal): Promise<void> {
      const reader = createChunkWriter(out, signal)
      const faults = collectFaults(archive.faults)
      const { roots, bounds, hideDotfiles, recheck } = archive
      const forWindows = isForWindows(archive.algorithm)
      const pace = createPace()
      const output = plainOutput((bytes) =>
        pace.timed(() => reader.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))),
      )
      // A compression may take long, and its thread may be terminated. A task that opens files must run to its end,
      // because nothing else would close its descriptors.
      const compress = (task: ArchiveTask) =>
        workers.run(task, { recheck, signal }) as Promise<CompressedBlock>
      const runTask = <T extends ArchiveResult>(task: ArchiveTask) =>
        workers.run(task, { recheck, signalWhileQueued: signal }) as Promise<T>
      const writer = archiveFormats[archive.algorithm].open(output, {
        threads: count,
        compress,
        level: pace.level,
      })
      try {
        const options = { bounds, hideDotfiles, forWindows, list: runTask<Names>, fault: faults.add }
        const found = walk(roots, options)
        await writeItems(found, writer, {
          bounds,
          pack: runTask<Packed>,
          level: pace.level,
          fault: faults.add,
          signal,
          readers,
        })
        const text = faults.text()
        if (text) await writer.writeText(errorsName(roots), text)
        await writer.end()
      } finally {
        await writer.stop()
        reader.unwatch()
      }
    },
    close: async () => void (await Promise.all([workers.close(), readers.close()])),
  }
}

export type Archiver = ReturnType<typeof createArchiver>

/** Whether Windows must be able to create all names of an archive: it opens a zip itself, and people send each other zips. */
export function isForWindows(algorithm: ArchiveAlgorithm): boolean {
  return algorithm === 'zip'
}

function errorsName(roots: readonly Root[]): string {
  const taken = new Set(roots.map(({ entry }) => foldName(isFolder(entry) ? entry.slice(0, -1) : entry)))
  return freeName('_errors.txt', (name) => taken.has(foldName(name)))
}

function collectFaults(known: readonly ArchiveFault[]) {
  const faults = [...known]
  let more = 0
  return {
    add(fault: ArchiveFault): void {
      if (faults.length < mostFaults) faults.push(fault)
      else more++
    },
    /** Returns the content of `_errors.txt`. Undefined when there are no errors. */
    text(): Buffer | undefined {
      if (faults.length === 0) return undefined
      const lines = faults.map(({ entry, reason }) => `${entry}: ${reason}`)
      const rest = more > 0 ? [`… and ${more} more`] : []
      return Buffer.from(
        `${['Entries that are missing from this archive, or differ from the server:', ...lines, ...rest].join('\n')}\n`,
      )
    },
  }
}
