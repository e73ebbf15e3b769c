import { createHash } from 'node:crypto'
import { type PreviewSize, previewSizes } from '#contract/previews.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Config } from '#src/config/config.ts'
import type { QuotaOwner } from '#src/core/concurrency/partitioned-semaphore.ts'
import { ProcessorTimeOver } from '#src/core/concurrency/processor-limit.ts'
import { type AcquireOptions, createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { createSingleFlight } from '#src/core/concurrency/single-flight.ts'
import { createWorkerPool } from '#src/core/concurrency/worker-pool.ts'
import { errnoOf } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { unconditional } from '#src/core/recheck.ts'
import { processorMsOf, type Weight } from '#src/files/pictures/budget.ts'
import type { Frame } from '#src/files/pictures/formats/pixels.ts'
import type { PictureResult, PictureTask } from '#src/files/pictures/render.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import type { OpenFile } from '#src/resources/open-file.ts'
import { createFolderCache } from './folder-cache.ts'

// Each takes a whole processor. A heavy picture takes the room of both.
const atOnce = 2
// Codecs and the memory of the last picture go back to the system after this long. The heap holds no pixels: 192 MiB are far above what it needs.
const painter = { idleMs: 10_000, heap: 192 } as const
// Enough for the screen of a person, and for a few people. Each keeps a file open.
const userQueue = { waitingEach: 100, waitingAll: 200, newestFirst: true }
// The same for networks that visit links.
const visitorQueue = { waitingEach: 50, waitingAll: 100, newestFirst: true }
// A thread that neither works nor ends is replaced after this long. On a busy machine an honest one may need some of it.
const mostMs = 120_000
// What nobody looks at for a month is gone, also when its file went without our knowing.
const mostCached = { bytes: 512 * 1024 * 1024, files: 100_000, ageMs: 30 * 24 * 60 * 60_000 }
// Part of every key: another way of making them makes other pictures.
const version = 1

const frames: Record<PreviewSize, Frame> = {
  thumb: { side: 256, isSquare: true },
  big: { side: 1080, isSquare: false },
}

const hourMs = 60 * 60_000

/** Why there is no smaller picture, as what it is answered, and when it is tried again. */
const refusals = new Map<string, { code: ProblemCode; forMs: number }>([
  ['unknown', { code: 'preview.type', forMs: 24 * hourMs }],
  ['large', { code: 'preview.large', forMs: 24 * hourMs }],
  ['broken', { code: 'preview.broken', forMs: 24 * hourMs }],
  // It took too much time. A codec that has just started needs longer than later, so that another try may do.
  ['slow', { code: 'preview.large', forMs: hourMs }],
])

type Result = { webp: Uint8Array } | { refused: string }

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
  const paint = createPainting()
  const permits = createPermits()
  const asked = createSingleFlight<Result>()
  const making = createSingleFlight<Result>()
  const unending = new AbortController().signal

  async function known(key: string): Promise<Result | undefined> {
    const kept = await cache.get(key)
    return kept && read(kept.bytes, kept.ageMs)
  }

  /** Makes it when it is the turn of `who`; somebody else may have made it meanwhile, or be at it. */
  async function inTurn(
    open: OpenFile,
    { key, size, weight, payer, signal }: { key: string; size: PreviewSize; weight: Weight } & Asker,
  ): Promise<Result> {
    // All requests that share this making have the same access.
    const recheck = () => open.recheck()
    using _permit = await permits.acquire(payer, { size: weight === 'heavy' ? atOnce : 1, signal, recheck })
    const made = await known(key)
    if (made) return made
    // A thread finishes what it has begun, also when nobody waits for it any longer: it will be asked for again.
    return await making(`${weight} ${key}`, unending, async () => {
      const result = await paint(open, frames[size], weight)
      const isMade = 'webp' in result
      if (isMade || result.refused !== 'heavy')
        await cache.put(key, isMade ? result.webp : Buffer.from(`!${result.refused}`))
      return result
    })
  }

  async function make(open: OpenFile, size: PreviewSize, asker: Asker): Promise<Result> {
    try {
      const key = keyOf(open.stats, size)
      const made = await known(key)
      if (made) return made
      const light = await inTurn(open, { key, size, weight: 'light', ...asker })
      const isHeavy = 'refused' in light && light.refused === 'heavy'
      return isHeavy ? await inTurn(open, { key, size, weight: 'heavy', ...asker }) : light
    } finally {
      // Not before a thread is through with it: its number may be another file's by then.
      await open.file.close()
    }
  }

  return {
    /** Whether this instance makes pictures of that size; otherwise the file itself is the answer (contract/compatibility.md#previews-and-details). */
    makes: (size: PreviewSize) => !isOff[size],

    /** A strong tag of what is made of this state of a file (RFC 9110 §8.8.3). */
    etagOf: ({ stats }: OpenFile, size: PreviewSize) => `"${keyOf(stats, size)}"`,

    /**
     * An open file as a small WebP, made now or found among those made before. Closes the file. Payers take turns.
     *
     * @throws Problem `preview.type`, `preview.large`, `preview.broken`, `server.busy`; the signal's reason.
     */
    async picture(open: OpenFile, size: PreviewSize, { payer, group, signal }: Asker): Promise<Buffer> {
      let isTaken = false
      try {
        const result = await asked(`${group} ${keyOf(open.stats, size)}`, signal, (signal) => {
          isTaken = true
          return make(open, size, { payer, group, signal })
        })
        if ('webp' in result) return Buffer.from(result.webp)
        const { code = 'preview.broken' } = refusals.get(result.refused) ?? {}
        throw new Problem(code, { path: open.name })
      } finally {
        if (!isTaken) await open.file.close()
      }
    },

    /** Forgets the pictures of files that were in these states and are no more. */
    async forget(states: readonly FileState[]): Promise<void> {
      for (const state of states) for (const size of previewSizes) await cache.drop(keyOf(state, size))
    },

    /** Ends the threads. */
    close: () => paint.close(),
  }
}

/** Somebody who asks, and until when. */
interface Asker {
  /** Takes the turn. */
  payer: QuotaOwner
  /** Requests with the same access, such as those of one session: access is checked again for all of them at once. */
  group: string
  signal: AbortSignal
}

/**
 * Permits to make pictures, for users and for visitors of links. All visitors together count as one more user and have one
 * permit at most, so that users wait for one picture of theirs at most. Visitors wait in a queue of their own, by network,
 * so that their requests never push a user's request out.
 */
function createPermits() {
  const users = createSemaphore('pictures', { all: atOnce, ...userQueue })
  const visitors = createSemaphore('pictures', { all: 1, ...visitorQueue })
  return {
    async acquire({ key, link }: QuotaOwner, options: AcquireOptions): Promise<Disposable> {
      if (link === undefined) return users.acquire(key, options)
      using permits = new DisposableStack()
      permits.use(await visitors.acquire(key, { ...options, size: 1 }))
      permits.use(await users.acquire('visitors', options))
      return permits.move()
    },
  }
}

/** The threads that make pictures smaller: two for light ones, one for a heavy one that ends with it. */
function createPainting() {
  const workers = {
    light: createWorkerPool<PictureTask, PictureResult>('picture', { threads: atOnce, ...painter }),
    heavy: createWorkerPool<PictureTask, PictureResult>('picture', { threads: 1, ...painter }),
  }
  let isClosing = false

  /** Reads why a thread failed: a picture that takes too long or ends its thread is refused, and that is remembered. */
  function failed(error: unknown): { refused: string } {
    if (isClosing || isLackOfRoom(error)) throw new Problem('server.busy', {}, { cause: error })
    if (errnoOf(error)) throw error // the disk, not the picture
    return { refused: error instanceof ProcessorTimeOver ? 'slow' : 'broken' }
  }

  async function paint({ file, stats: { size } }: OpenFile, frame: Frame, weight: Weight): Promise<Result> {
    const signal = AbortSignal.timeout(mostMs)
    const processorMs = processorMsOf(size)
    return workers[weight]
      .run({ fd: file.fd, size, frame, weight }, { recheck: unconditional, signal, processorMs })
      .catch(failed)
  }

  return Object.assign(paint, {
    /** Ends the threads. */
    async close(): Promise<void> {
      isClosing = true
      await Promise.all([workers.light.close(), workers.heavy.close()])
    },
  })
}

/** Whether a thread had no memory to begin with, or never got to work: the same picture may do later. */
function isLackOfRoom(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return code === 'ENOMEM' || code === 'ERR_WORKER_INIT_FAILED' || name === 'TimeoutError'
}

/**
 * Names one state of one file, wherever it lies and whoever asks. The time of the last change of the inode cannot be set
 * by anybody, so that what is written in place and given its old time is another state all the same.
 */
function keyOf({ dev, ino, size, mtimeMs, ctimeMs }: FileState, kind: PreviewSize): string {
  const state = [version, kind, dev, ino, size, mtimeMs, ctimeMs].join(' ')
  return createHash('sha256').update(state).digest('hex').slice(0, 40)
}

/**
 * Reads what was kept: a whole WebP, which says its own length (RFC 9649 §2.4), or a refusal after `!`. Undefined when it
 * says nothing that still holds: a disk that lost its power may have kept half of a file.
 */
function read(bytes: Buffer, ageMs: number): Result | undefined {
  if (bytes.toString('latin1', 0, 4) === 'RIFF')
    return bytes.length > 8 && bytes.readUInt32LE(4) + 8 === bytes.length ? { webp: bytes } : undefined
  const refused = bytes.toString('latin1', 1)
  const known = bytes[0] === 0x21 ? refusals.get(refused) : undefined
  // A negative age: it was kept while the clock was ahead.
  return known && Math.abs(ageMs) < known.forMs ? { refused } : undefined
}
