import { createHash } from 'node:crypto'
import { type PreviewSize, previewSizes } from '#contract/previews.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Config } from '#src/config/config.ts'
import { createSingleFlight } from '#src/core/concurrency/keyed-lock.ts'
import { type AcquireOptions, createSemaphore, type QuotaOwner } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import type { OpenFile } from '#src/entries/open.ts'
import type { MemoryClass } from '#src/files/pictures/budget.ts'
import type { TargetSize } from '#src/files/pictures/formats/pixels.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import { createFolderCache } from './folder-cache.ts'
import { createResizer, type Resized } from './resizer.ts'

// Enough for the screen of one user, and for a few users. Each waiting request keeps a file open.
const userQueue = { waitingEach: 100, waitingAll: 200, newestFirst: true }
// The same for visitors of shares, per network.
const visitorQueue = { waitingEach: 50, waitingAll: 100, newestFirst: true }
// Unused previews are removed after a month. This also removes the previews of files that other programs have deleted.
const mostCached = { bytes: 512 * 1024 * 1024, files: 100_000, ageMs: 30 * 24 * 60 * 60_000 }
// Part of every key. Increase it when the created previews change.
const version = 1

const frames: Record<PreviewSize, TargetSize> = {
  thumb: { side: 256, isSquare: true },
  tile: { side: 480, isSquare: false },
  big: { side: 1080, isSquare: false },
}

const hourMs = 60 * 60_000

/** Reasons why there is no preview: the problem code, and the time until the next attempt. */
const refusals = new Map<string, { code: ProblemCode; forMs: number }>([
  ['unknown', { code: 'preview.type', forMs: 24 * hourMs }],
  ['large', { code: 'preview.large', forMs: 24 * hourMs }],
  ['broken', { code: 'preview.broken', forMs: 24 * hourMs }],
  // It took too much processor time. A codec is slower after its start, so a later attempt may succeed.
  ['slow', { code: 'preview.large', forMs: hourMs }],
])

/** Creates previews in worker threads and caches them in `folder`. The configuration can disable each size. */
export function createPreviews(options: {
  folder: string
  config: Pick<Config, 'disableThumbnails' | 'disablePreviewResize'>
  clock: () => number
  /** Receives the placeholder of each picture of which a preview was made. */
  onPlaceholder?: (state: FileState, placeholder: Uint8Array) => void
}) {
  const { folder, config, clock, onPlaceholder } = options
  const isOff: Record<PreviewSize, boolean> = {
    thumb: config.disableThumbnails,
    tile: config.disableThumbnails,
    big: config.disablePreviewResize,
  }
  const cache = createFolderCache(folder, mostCached, clock)
  const resize = createResizer()
  const permits = createPermits()
  const perGroup = createSingleFlight<Resized>()
  const perPicture = createSingleFlight<Resized>()
  const neverAborted = new AbortController().signal

  async function cached(key: string): Promise<Resized | undefined> {
    const entry = await cache.get(key)
    return entry && read(entry.bytes, entry.ageMs)
  }

  /** Creates the preview as soon as a permit is free, unless another request has created it or is creating it. */
  async function makeWithPermit(
    open: OpenFile,
    { key, size, weight, payer, signal }: { key: string; size: PreviewSize; weight: MemoryClass } & Requester,
  ): Promise<Resized> {
    // All requests that share this run have the same access.
    const recheck = () => open.recheck()
    // A heavy picture takes both permits.
    using _permit = await permits.acquire(payer, {
      size: weight === 'heavy' ? threads.picture : 1,
      signal,
      recheck,
    })
    const cachedResult = await cached(key)
    if (cachedResult) return cachedResult
    // A thread finishes its picture even if all requests were aborted, because it will probably be requested again.
    return await perPicture(`${weight} ${key}`, neverAborted, async () => {
      const result = await resize(open, frames[size], weight)
      const isMade = 'webp' in result
      if (isMade && result.placeholder) onPlaceholder?.(open.stats, result.placeholder)
      if (isMade || result.refused !== 'heavy')
        await cache.put(key, isMade ? result.webp : Buffer.from(`!${result.refused}`))
      return result
    })
  }

  async function make(open: OpenFile, size: PreviewSize, requester: Requester): Promise<Resized> {
    try {
      const key = keyOf(open.stats, size)
      const cachedResult = await cached(key)
      if (cachedResult) return cachedResult
      const light = await makeWithPermit(open, { key, size, weight: 'light', ...requester })
      const isHeavy = 'refused' in light && light.refused === 'heavy'
      return isHeavy ? await makeWithPermit(open, { key, size, weight: 'heavy', ...requester }) : light
    } finally {
      // Not before the thread has finished: the number of a closed descriptor may be reused for another file.
      await open.file.close()
    }
  }

  return {
    /**
     * Whether this instance creates previews of that size. Otherwise the response is the file itself
     * (contract/compatibility.md#previews-and-details).
     */
    isEnabled: (size: PreviewSize) => !isOff[size],

    /** The strong etag of the preview for this state of a file (RFC 9110 §8.8.3). */
    etagOf: ({ stats }: OpenFile, size: PreviewSize) => `"${keyOf(stats, size)}"`,

    /**
     * Returns the preview of an open file as WebP, newly created or from the cache. Closes the file. Permits are shared
     * fairly between payers.
     *
     * @throws Problem `preview.type`, `preview.large`, `preview.broken`, `server.busy`; the signal's reason.
     */
    async getPreview(
      open: OpenFile,
      size: PreviewSize,
      { payer, group, signal }: Requester,
    ): Promise<Buffer> {
      let isOwned = false
      try {
        const result = await perGroup(`${group} ${keyOf(open.stats, size)}`, signal, (signal) => {
          isOwned = true
          return make(open, size, { payer, group, signal })
        })
        if ('webp' in result) return Buffer.from(result.webp)
        const { code = 'preview.broken' } = refusals.get(result.refused) ?? {}
        throw new Problem(code, { path: open.name })
      } finally {
        if (!isOwned) await open.file.close()
      }
    },

    /** Removes the previews of files that were changed or deleted. `states` are the file states before. */
    async removeCached(states: readonly FileState[]): Promise<void> {
      for (const state of states) for (const size of previewSizes) await cache.remove(keyOf(state, size))
    },

    /** Ends the threads. */
    close: () => resize.close(),
  }
}

/** The requester of a preview. */
interface Requester {
  /** The owner of the quota that counts the request. */
  payer: QuotaOwner
  /** Identifies requests with the same access, such as those of one session: one check of access is valid for all. */
  group: string
  signal: AbortSignal
}

/**
 * Permits to create previews, for users and for visitors of shares. All visitors together count as one user and have at
 * most one permit, so a user waits for at most one picture of visitors. Visitors wait in a separate queue, by network,
 * so that their requests never displace a user's request.
 */
function createPermits() {
  const users = createSemaphore('previews', { all: threads.picture, ...userQueue })
  const visitors = createSemaphore('previews', { all: 1, ...visitorQueue })
  return {
    async acquire({ key, share: link }: QuotaOwner, options: AcquireOptions): Promise<Disposable> {
      if (link === undefined) return users.acquire(key, options)
      using permits = new DisposableStack()
      permits.use(await visitors.acquire(key, { ...options, size: 1 }))
      permits.use(await users.acquire('visitors', options))
      return permits.move()
    },
  }
}

/**
 * The key of one state of a file, independent of its path and the user. It includes the change time of the inode, which
 * programs cannot set: a file that is overwritten and gets its old modification time still has a new key.
 */
function keyOf({ dev, ino, size, mtimeMs, ctimeMs }: FileState, kind: PreviewSize): string {
  const state = [version, kind, dev, ino, size, mtimeMs, ctimeMs].join(' ')
  return createHash('sha256').update(state).digest('hex').slice(0, 40)
}

/**
 * Parses a cache entry: a complete WebP, which contains its own length (RFC 9649 §2.4), or a refusal after `!`.
 * Undefined when it is damaged or outdated: after a power failure a file may be incomplete.
 */
function read(bytes: Buffer, ageMs: number): Resized | undefined {
  if (bytes.toString('latin1', 0, 4) === 'RIFF')
    return bytes.length > 8 && bytes.readUInt32LE(4) + 8 === bytes.length ? { webp: bytes } : undefined
  const refused = bytes.toString('latin1', 1)
  const refusal = bytes[0] === 0x21 ? refusals.get(refused) : undefined
  // The age is negative if the entry was stored while the clock was ahead.
  return refusal && Math.abs(ageMs) < refusal.forMs ? { refused } : undefined
}
