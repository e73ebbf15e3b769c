import { type RefObject, useEffect, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { ApiProblem } from '#web/api/client.ts'
import { origin } from '#web/api/origin.ts'
import { previewOf } from '#web/api/preview.ts'
import { isPreviewOnly } from '#web/api/preview-only.ts'
import { page } from '#web/shared/page.ts'
import { createSemaphore } from '#web/shared/semaphore.ts'
import { permissions, session } from '#web/shared/session.ts'

// Concurrent requests: enough for the server's two thumbnail jobs and the network. A thumbnail that scrolls out of view
// before its turn is never requested.
const requests = createSemaphore(4)
// Delay after scrolling before requests start. Continuous scrolling delays them at most `maxQuietMs`.
const quietMs = 90
const maxQuietMs = 400
const maxCached = 500
const retryMs = 1500
const maxTries = 3
/** Maximum file size of which the server makes a thumbnail, in bytes. */
const maxBytes = 128 * 1024 * 1024
const supported = /\.(jpe?g|jfif|png|gif|webp|avif|bmp)$/i

/** Square for the rows of the list, the whole picture for tiles. */
type Size = 'thumb' | 'tile'

interface PendingThumbnail {
  item: Item
  size: Size
  element: HTMLElement
  tries: number
  show(address: string): void
}

/** Width divided by height of pictures that were loaded as tiles, oldest first. Kept longer than the pictures. */
const ratios = new Map<string, number>()
const maxRatios = 20_000

/** Addresses of loaded thumbnails, oldest first; empty for files without a thumbnail. */
const cache = new Map<string, string>()
const pending = new Set<PendingThumbnail>()
const running = new Map<PendingThumbnail, AbortController>()
let timer: ReturnType<typeof setTimeout> | undefined
let scrollStartedAt = 0

/** The thumbnail address of an item that is shown in `box`; undefined until it is loaded, and if there is none. */
export function useThumbnail(item: Item, size: Size, box: RefObject<HTMLElement | null>): string | undefined {
  const key = cacheKey(item, size)
  const [found, setFound] = useState<{ key: string; address: string }>()
  const address = (found?.key === key ? found.address : undefined) ?? cache.get(key)
  useEffect(() => {
    const element = box.current
    if (address !== undefined || !element || !hasThumbnail(item)) return
    return enqueue({ item, size, element, tries: 0, show: (address) => setFound({ key, address }) })
  }, [item, size, key, address, box])
  return address || undefined
}

/** Whether the server makes a thumbnail of the item, the user may see it, and the browser does not save data. */
export function hasThumbnail({ name, type, size }: Item): boolean {
  const { download, admin } = permissions()
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  if (!page.EnableThumbs || connection?.saveData || !(download || admin || isPreviewOnly())) return false
  return type === 'image' && supported.test(name) && size > 0 && size <= maxBytes
}

/** Width divided by height of an item's picture; undefined until it was loaded. A broken one has the `standard` shape. */
export function ratioOf(item: Item, standard: number): number | undefined {
  const key = cacheKey(item, 'tile')
  return cache.get(key) === '' ? standard : ratios.get(key)
}

/** Remembers the shape of a picture, so that it has its place before it is loaded again. */
export function rememberRatio(item: Item, ratio: number): void {
  ratios.set(cacheKey(item, 'tile'), ratio)
  const [oldest] = ratios.keys()
  if (ratios.size > maxRatios && oldest !== undefined) ratios.delete(oldest)
}

function cacheKey({ path, modified, size }: Item, kind: Size): string {
  // Keyed by user or share, so that nobody sees another user's cached pictures.
  return `${origin.link?.hash ?? session.user?.id} ${kind} ${modified} ${size} ${path}`
}

function enqueue(one: PendingThumbnail): () => void {
  pending.add(one)
  startSoon()
  return () => {
    pending.delete(one)
    running.get(one)?.abort()
  }
}

/** Starts requests when no new items come into view. */
function startSoon(): void {
  const now = performance.now()
  if (timer === undefined) scrollStartedAt = now
  clearTimeout(timer)
  timer = setTimeout(
    () => {
      timer = undefined
      startRequests()
    },
    Math.max(0, Math.min(quietMs, scrollStartedAt + maxQuietMs - now)),
  )
}

function startRequests(): void {
  if (timer !== undefined) return
  yieldToVisible()
  while (pending.size > 0) {
    const release = requests.tryAcquire()
    if (!release) return
    void fetchNearest().finally(() => {
      release()
      startRequests()
    })
  }
}

/**
 * Aborts and requeues requests for distant items while nearer ones wait. The list keeps the line of the current item in
 * the document, however far away it is.
 */
function yieldToVisible(): void {
  const hasVisible = [...pending].some((one) => distanceOf(one) < 2)
  for (const [one, controller] of running) {
    if (!hasVisible || distanceOf(one) < 2 || controller.signal.aborted) continue
    controller.abort()
    pending.add(one)
  }
}

/** The next item to request: visible items first, from the top down, then the nearest ones. */
function nearest(): PendingThumbnail | undefined {
  let best: { one: PendingThumbnail; distance: number } | undefined
  for (const one of pending) {
    const distance = distanceOf(one)
    if (!best || distance < best.distance) best = { one, distance }
  }
  return best?.one
}

/** The distance from the top of the screen, in screens. Items out of view are further away than all visible ones. */
function distanceOf({ element }: PendingThumbnail): number {
  const { top, bottom } = element.getBoundingClientRect()
  const isInSight = bottom > 0 && top < innerHeight
  return isInSight ? top / innerHeight : 1 + Math.max(-bottom, top - innerHeight) / innerHeight
}

async function fetchNearest(): Promise<void> {
  const one = nearest()
  if (!one) return
  pending.delete(one)
  const { item, size, show } = one
  const controller = new AbortController()
  running.set(one, controller)
  try {
    const blob = await previewOf(size, { path: item.path, key: item.modified }, controller.signal)
    if (!controller.signal.aborted) show(addToCache(cacheKey(item, size), URL.createObjectURL(blob)))
  } catch (error) {
    if (!controller.signal.aborted) fail(one, error)
  } finally {
    if (running.get(one) === controller) running.delete(one)
  }
}

/** Caches a rejection as “no thumbnail”. Retries when the server is busy or the connection is lost. */
function fail(one: PendingThumbnail, error: unknown): void {
  const isFinal = error instanceof ApiProblem && error.status >= 400 && error.status < 500
  if (isFinal) one.show(addToCache(cacheKey(one.item, one.size), ''))
  else if (++one.tries < maxTries) {
    setTimeout(() => {
      if (!one.element.isConnected) return
      pending.add(one)
      startRequests()
    }, retryMs)
  }
}

function addToCache(key: string, address: string): string {
  cache.set(key, address)
  for (const [oldest, evicted] of cache) {
    if (cache.size <= maxCached) break
    cache.delete(oldest)
    // An image on the screen stays: it needs its address only to load.
    if (evicted) URL.revokeObjectURL(evicted)
  }
  return address
}
