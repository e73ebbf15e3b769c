import { ref, subscribe } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { origin, readResource } from '#web/api/origin.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { files, isFolderShown, showPath } from '#web/features/files/state/files-state.ts'
import { arranged } from '#web/features/files/state/list-parts.ts'
import type { OrderedListing } from '#web/features/files/state/order.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { isPointerDown, onPointerRelease } from '#web/shared/lists/pointer.ts'
import { keepScroll } from '#web/shared/lists/scroll-anchor.ts'
import { watchedSince } from '#web/shared/live/live.ts'
import { type LiveChange, mayConcernList } from '#web/shared/live/live-changes.ts'
import { parentOf } from '#web/shared/paths.ts'

// The shortest time between two requests, in milliseconds.
const minPauseMs = 500
// A large folder takes the server and this page long: requests take at most a fifth of the time.
const pauseFactor = 4
const maxPauseMs = 10_000

let isBehind = false
let isReading = false
let timer: ReturnType<typeof setTimeout> | undefined
let pauseUntil = 0
/** When the request began whose listing is shown, and how long it took. */
let startedAt = 0

/** Reads the shown folder again, soon, without a sign of loading, and shows what has changed in it. */
export function refreshSoon(): void {
  isBehind = true
  if (timer === undefined) timer = setTimeout(run, Math.max(0, pauseUntil - performance.now()))
}

/** Follows the loading of lists, so that none is requested twice. */
export function watchLoading(): void {
  let wasLoading = files.loading
  subscribe(
    files,
    () => {
      const { loading, tasks } = files
      if (loading && !wasLoading) {
        startedAt = performance.now()
        // Its response contains all changes so far.
        isBehind = false
      }
      if (!loading && wasLoading) pauseAfter(0)
      wasLoading = loading
      if (isBehind && !loading && tasks === 0) refreshSoon()
    },
    true,
  )
}

/** Whether a change concerns the shown list: of its folder, or below a folder that it does not show yet. */
export function concernsList(change: LiveChange): boolean {
  if (origin.link || !isFolderShown()) return false
  const { folder } = change
  const path = files.path
  if (mayConcernList(change, path)) return true
  if (!folder.startsWith(path)) return false
  const [child = ''] = folder.slice(path.length).split('/')
  return !files.folder?.items.some(({ name }) => name === child)
}

/** Reads the list again if the folder was changed between the listing and the beginning of its watch. */
export function refreshIfChanged(): void {
  const { folder } = files
  const modified = folder && watchedSince(folder.path)
  if (isFolderShown() && folder && modified !== undefined && modified > folder.modified) refreshSoon()
}

function pauseAfter(durationMs: number): void {
  const pause = Math.min(maxPauseMs, Math.max(minPauseMs, durationMs * pauseFactor))
  pauseUntil = Math.max(pauseUntil, performance.now() + pause)
}

function run(): void {
  timer = undefined
  if (!isBehind || isReading || files.loading || files.tasks > 0) return
  // A list must not change under a pressed pointer.
  if (isPointerDown()) onPointerRelease(refreshSoon)
  else if (document.visibilityState === 'hidden') onVisible(refreshSoon)
  else {
    isBehind = false
    if (isFolderShown()) void read(files.path)
  }
}

async function read(path: string): Promise<void> {
  isReading = true
  const began = performance.now()
  try {
    const answer = await readResource(path, { signal: AbortSignal.timeout(60_000) })
    // The user has gone elsewhere, or a newer list was read meanwhile.
    const isOld = files.path !== path || files.loading || startedAt > began
    if (!isOld) files.isLost = false
    if (!isOld && isFolderShown() && 'items' in answer) await show(path, arranged(answer))
  } catch (error) {
    if (files.path === path && isFolderShown()) showFailure(path, codeOf(error))
  } finally {
    isReading = false
    pauseAfter(performance.now() - began)
    if (isBehind) refreshSoon()
  }
}

function showFailure(path: string, code: string): void {
  // The folder has gone: shows this as for an address that was typed.
  if (/^path\./.test(code)) void showPath(path)
  else {
    isBehind = true
    files.isLost = code === 'network.lost'
  }
}

async function show(path: string, { name, items, sorting, modified, view }: OrderedListing): Promise<void> {
  const before = files.folder?.items ?? []
  const now = reuse(before, items)
  if (files.folder) files.folder.modified = modified
  if (!now) return
  const keep = keepScroll(before, now, ({ name }) => name)
  moveSelection(before, now, keep.visible)
  files.folder = { path, name, items: ref(now), sorting, modified, view }
  await keep.restore()
}

/** The new items, with the same objects for those that are unchanged. Undefined: nothing has changed. */
function reuse(before: readonly Item[], now: readonly Item[]): readonly Item[] | undefined {
  const known = new Map(before.map((item) => [item.name, item]))
  const items = now.map((item) => {
    const old = known.get(item.name)
    return old && isSame(old, item) ? old : item
  })
  const areSame = items.length === before.length && items.every((item, index) => item === before[index])
  return areSame ? undefined : items
}

/** Compares what the list shows. The index of an item depends on the others. */
function isSame(one: Item, other: Item): boolean {
  const { size, modified, type, mode, isDir, isSymlink } = one
  return (
    size === other.size &&
    modified === other.modified &&
    type === other.type &&
    mode === other.mode &&
    isDir === other.isDir &&
    isSymlink === other.isSymlink
  )
}

/** Keeps the cursor and the selection on their items. */
function moveSelection(before: readonly Item[], now: readonly Item[], visible: readonly number[]): void {
  const places = new Map(now.map((item, index) => [item.name, index]))
  const follow = (index: number) => {
    const place = places.get(before[index]?.name ?? '')
    if (place !== undefined) return place
    // The item has gone. An item in sight takes the cursor, so that nothing scrolls.
    const near = visible.includes(index) ? index : (visible[0] ?? index)
    return Math.max(0, Math.min(near, now.length - 1))
  }
  const { cursor, anchor, names } = selection
  selection.cursor = follow(cursor)
  selection.anchor = follow(anchor)
  if ([...names].some((name) => !places.has(name)))
    selection.names = ref(new Set([...names].filter((name) => places.has(name))))
}

function onVisible(work: () => void): void {
  document.addEventListener('visibilitychange', work, { once: true })
}

/** The folder that the page shows, or that of the open file. */
export function shownFolder(): string | undefined {
  if (origin.link || !files.path || files.failure) return undefined
  return files.path.endsWith('/') ? files.path : parentOf(files.path)
}
