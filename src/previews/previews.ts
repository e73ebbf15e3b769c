import { createHash } from 'node:crypto'
import type { PreviewSize } from '#contract/previews.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Config } from '#src/config/config.ts'
import { errnoOf } from '#src/core/errno.ts'
import { createLocks } from '#src/core/lock.ts'
import { Problem } from '#src/core/problem.ts'
import { createFolderCache } from '#src/files/folder-cache.ts'
import type { Frame } from '#src/files/pictures/pixels.ts'
import type { PictureResult, PictureTask } from '#src/files/pictures/render.ts'
import type { FileState } from '#src/files/tree-tasks.ts'
import { createWorkers } from '#src/files/workers.ts'
import type { OpenFile } from '#src/resources/resources.ts'
import { createQueue } from './queue.ts'
import { createTogether } from './together.ts'

// Each takes a whole processor.
const atOnce = 2
// Codecs and the memory of the last picture go back to the system after this long.
const idleMs = 10_000
// Enough for the screens of a few people; more would only be answered when nobody looks any longer.
const mostWaiting = 100
// No picture that we take on needs this long, and no crafted one keeps a thread for longer.
const mostMs = 20_000
// What nobody looks at for a month is gone, also when its file went without our knowing.
const mostCached = { bytes: 512 * 1024 * 1024, ageMs: 30 * 24 * 60 * 60_000 }
// What could not be read is tried again after this long.
const refusedForMs = 24 * 60 * 60_000
// Part of every key: another way of making them makes other pictures.
const version = 1

const frames: Record<PreviewSize, Frame> = {
  thumb: { side: 256, isSquare: true },
  big: { side: 1080, isSquare: false },
}

const sizes = Object.keys(frames) as PreviewSize[]

const codes = {
  unknown: 'preview.type',
  large: 'preview.large',
  broken: 'preview.broken',
} as const satisfies Record<string, ProblemCode>
const reasons = ['unknown', 'large', 'broken'] as const satisfies readonly (keyof typeof codes)[]
type Result = { webp: Uint8Array } | { refused: keyof typeof codes }

/** Small pictures of large ones, made by threads and kept in `folder`; the instance may be set to make none. */
export function createPreviews(options: {
  folder: string
  config: Pick<Config, 'disableThumbnails' | 'disablePreviewResize'>
  clock: () => number
}) {
  const { folder, config, clock } = options
  const isOff: Record<PreviewSize, boolean> = {
    thumb: config.disableThumbnails,
    big: config.disablePreviewResize,
  }
  const cache = createFolderCache(folder, mostCached, clock)
  const painters = createWorkers<PictureTask, PictureResult>('picture', { threads: atOnce, idleMs })
  const queue = createQueue(atOnce, mostWaiting, () => new Problem('server.busy'))
  const together = createTogether<Result>()
  const locks = createLocks()
  let isClosing = false

  /** What threads say when they cannot: a picture that is too slow or ends its thread is as good as broken. */
  function failed(error: unknown): { refused: 'broken' } {
    if (isClosing) throw new Problem('server.busy')
    if (errnoOf(error)) throw error // the disk, not the picture
    return { refused: 'broken' }
  }

  /** Has a thread make it. One that turns out to be heavy waits until no other heavy one is under way. */
  async function paint({ file, stats: { size } }: OpenFile, frame: Frame): Promise<Result> {
    const run = (mayBeHeavy: boolean) =>
      painters
        .run({ fd: file.fd, size, frame, mayBeHeavy }, { signal: AbortSignal.timeout(mostMs) })
        .catch(failed)
    let result = await run(false)
    if ('refused' in result && result.refused === 'heavy') result = await locks.run('heavy', () => run(true))
    return result as Result
  }

  async function make(open: OpenFile, size: PreviewSize, signal: AbortSignal): Promise<Result> {
    try {
      const key = keyOf(open.stats, size)
      const kept = await cache.get(key)
      const known = kept && read(kept.bytes, kept.ageMs)
      if (known) return known
      // What a thread has begun it finishes, also when nobody waits for it any longer: it will be asked for again.
      return await queue(async () => {
        const result = await paint(open, frames[size])
        await cache.put(key, 'webp' in result ? result.webp : Buffer.from(`!${result.refused}`))
        return result
      }, signal)
    } finally {
      // Not before a thread is through with it: its number may be another file's by then.
      await open.file.close()
    }
  }

  return {
    /** Whether this instance makes pictures of that size; otherwise the file itself is the answer (reference 13.1). */
    makes: (size: PreviewSize) => !isOff[size],

    /** A strong tag of what is made of this state of a file (RFC 9110 §8.8.3). */
    etagOf: ({ stats }: OpenFile, size: PreviewSize) => `"${keyOf(stats, size)}"`,

    /**
     * An open file as a small WebP, made now or found among those made before. Closes the file.
     *
     * @throws Problem `preview.type`, `preview.large`, `preview.broken`, `server.busy`; the signal's reason.
     */
    async picture(open: OpenFile, size: PreviewSize, signal: AbortSignal): Promise<Buffer> {
      let isTaken = false
      try {
        const result = await together(keyOf(open.stats, size), signal, (signal) => {
          isTaken = true
          return make(open, size, signal)
        })
        if ('webp' in result) return Buffer.from(result.webp)
        throw new Problem(codes[result.refused], { path: open.name })
      } finally {
        if (!isTaken) await open.file.close()
      }
    },

    /** Forgets the pictures of files that were in these states and are no more. */
    async forget(states: readonly FileState[]): Promise<void> {
      for (const state of states) for (const size of sizes) await cache.drop(keyOf(state, size))
    },

    /** Ends the threads. */
    async close(): Promise<void> {
      isClosing = true
      await painters.close()
    },
  }
}

/**
 * Names one state of one file, wherever it lies and whoever asks. The time of the last change of the inode cannot be set
 * by anybody, so that what is written in place and given its old time is another state all the same.
 */
function keyOf({ dev, ino, size, mtimeMs, ctimeMs }: FileState, kind: PreviewSize): string {
  const state = [version, kind, dev, ino, size, mtimeMs, ctimeMs].join(' ')
  return createHash('sha256').update(state).digest('hex').slice(0, 40)
}

/** Reads what was kept: WebP begins with `RIFF`, a refusal with `!`. Undefined when it says nothing that still holds. */
function read(bytes: Buffer, ageMs: number): Result | undefined {
  if (bytes.toString('latin1', 0, 4) === 'RIFF') return { webp: bytes }
  const refused = bytes.toString('latin1', 1)
  // A negative age: it was kept while the clock was ahead.
  if (Math.abs(ageMs) >= refusedForMs) return undefined
  const known = reasons.find((reason) => reason === refused)
  return known && { refused: known }
}
