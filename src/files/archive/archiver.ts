import { availableParallelism } from 'node:os'
import type { Writable } from 'node:stream'
import type { ArchiveAlgorithm } from '#contract/resources.ts'
import { createWorkerPool } from '#src/core/concurrency/worker-pool.ts'
import type { Recheck } from '#src/core/recheck.ts'
import { readerOf } from '#src/files/reading/reader.ts'
import type { CompressedBlock } from './compression/compress-block.ts'
import { plainOutput } from './compression/output.ts'
import { algorithms } from './formats/algorithms.ts'
import type { Bounds, Fault } from './formats/entry.ts'
import { isFolder } from './formats/entry.ts'
import { freeName } from './formats/entry-name.ts'
import type { Names } from './list-names.ts'
import { mostLarge, type Packed } from './pack.ts'
import { mostFolders, produce } from './produce.ts'
import type { ArchiveAnswer, ArchiveTask } from './tasks.ts'
import { type Root, walk } from './walk.ts'

/** What goes into an archive, and how. */
export interface Archive {
  algorithm: ArchiveAlgorithm
  roots: readonly Root[]
  /** What could not even be held. */
  faults: readonly Fault[]
  bounds: Bounds
  hideDotfiles: boolean
  /** Called before anything is read. */
  recheck: Recheck
}

/**
 * The most descriptors that one archive holds: the folders on the way to where the walk is, those of the names in two
 * batches, the large files of three, and a link that is being followed.
 */
export const archiveDescriptors = 18 + 2 * mostFolders + 3 * mostLarge + 2

/** Beyond so many lines `_errors.txt` only counts. */
const mostFaults = 10_000

// Threads hold tens of megabytes; who fetches several archives one after the other finds them still there.
const idleMs = 5000

/** Makes archives, with threads that all of them share. */
export function createArchiver() {
  const threads = Math.min(availableParallelism(), 8)
  const workers = createWorkerPool<ArchiveTask, ArchiveAnswer>('archive', { threads, idleMs })

  return {
    /**
     * Writes an archive to `out`, which is left open, as fast as it is taken. What cannot be read is left out and listed
     * in `_errors.txt`, the last entry.
     *
     * @throws the signal's reason, or the stream's error when the reader leaves. The archive is cut short then.
     */
    async send(archive: Archive, out: Writable, signal: AbortSignal): Promise<void> {
      const reader = readerOf(out, signal)
      const faults = collectFaults(archive.faults)
      const { roots, bounds, hideDotfiles, recheck } = archive
      const output = plainOutput((bytes) =>
        reader.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
      )
      // A block may take long, and nothing is lost with its thread. One that opens files must come to its end, for
      // nobody would close what it had opened.
      const squeeze = (task: ArchiveTask) =>
        workers.run(task, { recheck, signal }) as Promise<CompressedBlock>
      const ask = <T extends ArchiveAnswer>(task: ArchiveTask) =>
        workers.run(task, { recheck, untilBegun: signal }) as Promise<T>
      const writer = algorithms[archive.algorithm].open(output, { threads, squeeze })
      try {
        const found = walk(roots, { bounds, hideDotfiles, list: ask<Names>, fault: faults.add })
        await produce(found, writer, { bounds, pack: ask<Packed>, fault: faults.add, signal })
        const text = faults.text()
        if (text) await writer.text(errorsName(roots), text)
        await writer.end()
      } finally {
        await writer.stop()
        reader.unwatch()
      }
    },
    close: () => workers.close(),
  }
}

export type Archiver = ReturnType<typeof createArchiver>

function errorsName(roots: readonly Root[]): string {
  const taken = new Set(roots.map(({ entry }) => (isFolder(entry) ? entry.slice(0, -1) : entry)))
  return freeName('_errors.txt', (name) => taken.has(name))
}

function collectFaults(known: readonly Fault[]) {
  const faults = [...known]
  let more = 0
  return {
    add(fault: Fault): void {
      if (faults.length < mostFaults) faults.push(fault)
      else more++
    },
    /** Undefined when there is nothing to tell. */
    text(): Buffer | undefined {
      if (faults.length === 0) return undefined
      const lines = faults.map(({ entry, reason }) => `${entry}: ${reason}`)
      const rest = more > 0 ? [`… and ${more} more`] : []
      return Buffer.from(
        `${['Missing from this archive, or not as on the server:', ...lines, ...rest].join('\n')}\n`,
      )
    },
  }
}
