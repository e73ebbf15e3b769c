import { type RefObject, useEffect, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { ApiProblem } from '#web/api/client.ts'
import { origin } from '#web/api/origin.ts'
import { previewOf } from '#web/api/preview.ts'
import { page } from '#web/shared/page.ts'
import { permissions, session } from '#web/shared/session.ts'

// Enough to keep the server's two painters and the line busy; what is scrolled away meanwhile was never asked for.
const atOnce = 4
// Who scrolls past does not want to see it; who goes on and on sees something on the way.
const restMs = 90
const mostRestMs = 400
const mostKept = 500
const triesApartMs = 1500
const mostTries = 3
/** The server reads no larger ones. */
const mostBytes = 128 * 1024 * 1024
const shown = /\.(jpe?g|jfif|png|gif|webp|avif|bmp)$/i

interface Wanted {
  item: Item
  element: HTMLElement
  tries: number
  show(address: string): void
}

/** Addresses of the pictures that are here, oldest first; empty where there is none to be had. */
const kept = new Map<string, string>()
const wanted = new Set<Wanted>()
const underWay = new Map<Wanted, AbortController>()
let timer: ReturnType<typeof setTimeout> | undefined
let restingSince = 0

/** The thumbnail of an item whose place on the screen is `box`; undefined until it is here, and where there is none. */
export function useThumbnail(item: Item, box: RefObject<HTMLElement | null>): string | undefined {
  const key = keyOf(item)
  const [found, setFound] = useState<{ key: string; address: string }>()
  const address = (found?.key === key ? found.address : undefined) ?? kept.get(key)
  useEffect(() => {
    const element = box.current
    if (address !== undefined || !element || !hasThumbnail(item)) return
    return want({ item, element, tries: 0, show: (address) => setFound({ key, address }) })
  }, [item, key, address, box])
  return address || undefined
}

/** Whether the server makes a small picture of it, and this person and their line want one. */
function hasThumbnail({ name, type, size }: Item): boolean {
  const { download, admin } = permissions()
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  if (!page.EnableThumbs || connection?.saveData || !(download || admin)) return false
  return type === 'image' && shown.test(name) && size > 0 && size <= mostBytes
}

function keyOf({ path, modified, size }: Item): string {
  // Keyed by user or link, so that nobody sees another user's cached pictures.
  return `${origin.link?.hash ?? session.user?.id} ${modified} ${size} ${path}`
}

function want(one: Wanted): () => void {
  wanted.add(one)
  rest()
  return () => {
    wanted.delete(one)
    underWay.get(one)?.abort()
  }
}

/** Waits until nothing more comes into sight. */
function rest(): void {
  const now = performance.now()
  if (timer === undefined) restingSince = now
  clearTimeout(timer)
  timer = setTimeout(
    () => {
      timer = undefined
      fill()
    },
    Math.max(0, Math.min(restMs, restingSince + mostRestMs - now)),
  )
}

function fill(): void {
  if (timer !== undefined) return
  giveWay()
  while (underWay.size < atOnce) {
    const one = nearest()
    if (!one) return
    wanted.delete(one)
    void fetchOne(one)
  }
}

/** The list keeps the current item's line however far away it is: such a one waits until nothing nearer is wanted. */
function giveWay(): void {
  const isWanted = [...wanted].some((one) => awayOf(one) < 2)
  for (const [one, controller] of underWay) {
    if (!isWanted || awayOf(one) < 2 || controller.signal.aborted) continue
    controller.abort()
    wanted.add(one)
  }
}

/** What is in sight comes first, from its top down, then what is nearest to it. */
function nearest(): Wanted | undefined {
  let best: { one: Wanted; away: number } | undefined
  for (const one of wanted) {
    const away = awayOf(one)
    if (!best || away < best.away) best = { one, away }
  }
  return best?.one
}

/** How far from the top of the screen, in screens; what is not in sight counts as further than all that is. */
function awayOf({ element }: Wanted): number {
  const { top, bottom } = element.getBoundingClientRect()
  const isInSight = bottom > 0 && top < innerHeight
  return isInSight ? top / innerHeight : 1 + Math.max(-bottom, top - innerHeight) / innerHeight
}

async function fetchOne(one: Wanted): Promise<void> {
  const { item, show } = one
  const controller = new AbortController()
  underWay.set(one, controller)
  try {
    const blob = await previewOf('thumb', { path: item.path, key: item.modified }, controller.signal)
    if (!controller.signal.aborted) show(keep(keyOf(item), URL.createObjectURL(blob)))
  } catch (error) {
    if (!controller.signal.aborted) giveUp(one, error)
  } finally {
    if (underWay.get(one) === controller) underWay.delete(one)
    fill()
  }
}

/** A refusal stays one; a busy server and a lost line are asked again. */
function giveUp(one: Wanted, error: unknown): void {
  const isFinal = error instanceof ApiProblem && error.status >= 400 && error.status < 500
  if (isFinal) one.show(keep(keyOf(one.item), ''))
  else if (++one.tries < mostTries) {
    setTimeout(() => {
      if (!one.element.isConnected) return
      wanted.add(one)
      fill()
    }, triesApartMs)
  }
}

function keep(key: string, address: string): string {
  kept.set(key, address)
  for (const [oldest, gone] of kept) {
    if (kept.size <= mostKept) break
    kept.delete(oldest)
    // What is on the screen stays there: a picture needs its address only to load.
    if (gone) URL.revokeObjectURL(gone)
  }
  return address
}
