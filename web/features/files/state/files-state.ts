import { i18n } from '@lingui/core'
import { proxy, ref } from 'valtio'
import type { FileView, Item, Listing } from '#contract/resources.ts'
import type { FailureCode } from '#web/api/client.ts'
import { origin, readResource } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { onChange } from '#web/shared/changes.ts'
import { forgetPositions, lastCursor, setNextCursor } from '#web/shared/lists/last-positions.ts'
import { nameOf, parentOf, resourceIn } from '#web/shared/paths.ts'
import { onShowItems, takeWantedNames } from '#web/shared/undo/show-items.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { type Folder, showsFirstItems } from './first-items.ts'
import { createChangeFollower } from './follow-changes.ts'
import { arranged } from './list-parts.ts'
import type { Order, OrderedListing } from './order.ts'
import { clearSelection, indexOfName, selection, selectNames, updateSelection } from './selection.ts'

/** An open file and its ETag (for `If-Match`). */
export interface OpenFile extends FileView {
  etag: string
}

/**
 * The folder or file at the current address. The folder of an open file stays loaded, so that closing the file is fast.
 */
export const files = proxy({
  /** The decoded path of the address. */
  path: '',
  loading: false,
  tasks: 0, // running deletions, moves and copies
  failure: undefined as FailureCode | undefined,
  isLost: false, // the server could not be reached, so the shown folder may be outdated
  /** The requested sort order until the list arrives in it. */
  sorting: undefined as Order | undefined,
  /** The folder shown last. Its items are one plain array, too long to be observed item by item. */
  folder: undefined as Folder | undefined,
  /** The open file; while another one loads, the previous one. */
  file: undefined as OpenFile | undefined,
})

let current: AbortController | undefined
let newest: Promise<void> = Promise.resolve() // the newest request for content
let isOutdated = false // a refresh has failed

/**
 * Shows `path`. Shows loaded content at once and refreshes it in the background. Aborts an older request. `password`
 * opens a share that requires one.
 */
export function showPath(path: string, password?: string): Promise<void> {
  newest = load(path, password)
  return newest
}

async function load(path: string, password: string | undefined): Promise<void> {
  if (files.path !== path) startNavigation(path)
  current?.abort()
  const controller = new AbortController()
  const { signal } = controller
  current = controller
  following.onRequestStart()
  files.loading = true
  let etag = ''
  const onEtag = (now: string) => {
    etag = now
  }
  try {
    const onStart = (start: Listing) => {
      if (!signal.aborted && showsFirstItems(folderAt(path), start, files.folder))
        setContent(path, start, true)
    }
    const answer = await readResource(path, { signal, onEtag, password, onStart })
    if (signal.aborted) return
    setContent(path, 'items' in answer ? answer : { ...answer, etag })
    files.failure = undefined
    files.isLost = false
    isOutdated = false
  } catch (error) {
    if (!signal.aborted) onError(path, codeOf(error))
  } finally {
    if (current === controller) {
      files.loading = false
      following.onRequestEnd()
    }
  }
}

/** How many newer requests a refresh waits for. Changes of others may follow each other without an end. */
const maxNewer = 5

/**
 * Reloads the shown folder. An open file is not reloaded. A change of others may abort the request with a newer one for
 * the same folder; then this waits for the newer one.
 */
export async function refreshFolder(): Promise<void> {
  const { path } = files
  if (!path.endsWith('/')) return
  let running = showPath(path)
  for (let n = 0; n < maxNewer; n++) {
    await running
    if (running === newest || files.path !== path) return
    running = newest
  }
}

/**
 * Waits until all items of the shown folder are there. Returns false if they did not arrive, or another folder is shown
 * by then.
 */
export async function hasAllItems(): Promise<boolean> {
  const { path } = files
  if (files.folder?.expected) await newest
  return files.path === path && !files.folder?.expected
}

/** Whether the page shows `path` of the user's own files, and not of a share. */
export function isAt(path: string): boolean {
  // On a page without files, the last path stays.
  return !origin.link && files.path === path && resourceIn(location.pathname) !== undefined
}

/** Whether the loaded folder is that of the address, and no file or error is shown instead. */
export function isFolderShown(): boolean {
  return !files.file && !files.failure && files.folder?.path === files.path
}

function startNavigation(path: string): void {
  leaveFolder()
  files.path = path
  files.failure = undefined
  // When the user pages to another file, the old one stays until the new one is loaded, so that the list below is
  // covered.
  if (path.endsWith('/')) files.file = undefined
  // Any change of route clears the selection. The cursor stays.
  clearSelection(selection.cursor)
}

function folderAt(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** Shows an answer. `isStart`: it has only the first items of a folder. */
function setContent(path: string, answer: Listing | OpenFile, isStart = false): void {
  if (!('items' in answer)) {
    const hasTurned = files.file && files.file.path !== answer.path
    files.path = answer.path
    files.file = ref(answer)
    // After paging to another file, the cursor is on that file.
    if (hasTurned && files.folder?.path === parentOf(answer.path)) pointAt(answer.name)
    return
  }
  const folder = folderAt(path)
  const left = files.folder?.path
  const before = files.folder?.items
  files.file = undefined
  files.path = folder
  const { items } = setFolder(folder, answer, isStart)
  if (left === folder) updateSelection(items, before)
  else clearSelection(indexOfName(items, lastCursor(folder)))
  const wanted = takeWantedNames(folder)
  if (wanted) selectByName(wanted)
  // After going up, the cursor is on the folder that was left: Enter opens it again.
  else if (left && left !== '/' && parentOf(left) === folder) pointAt(nameOf(left))
}

function setFolder(path: string, listing: Listing, isStart = false): OrderedListing {
  const ordered = arranged(listing)
  const { name, items, sorting, modified, view, numDirs, numFiles } = ordered
  const expected = isStart ? { folders: numDirs, files: numFiles } : undefined
  files.folder = { path, name, items: ref(items), sorting, modified, view, expected }
  return ordered
}

/** Sets the folder of a file that was opened without it, by its address or from a search. */
export function setSurroundingFolder(path: string, listing: Listing): void {
  setFolder(path, listing)
  clearSelection()
  if (files.file) pointAt(files.file.name)
}

/** Moves the cursor to the item of this name, if it is shown. Selects nothing. */
function pointAt(name: string): void {
  const index = files.folder?.items.findIndex((item) => item.name === name) ?? -1
  if (index >= 0) Object.assign(selection, { cursor: index, anchor: index })
}

/** Handles a failed request. Loaded content stays visible, unless it no longer exists or is forbidden. */
function onError(path: string, code: FailureCode): void {
  isOutdated = true
  const shownPath = files.file?.path ?? files.folder?.path
  if (shownPath === path && !files.failure && !/^(path|auth|share)\./.test(code)) {
    files.isLost = code === 'network.lost'
    // A line above the list says it as well.
    if (!files.isLost || files.file) showToast('error', i18n._(problemText(code)))
    return
  }
  files.file = undefined
  files.failure = code
}

function leaveFolder(): void {
  const item = files.folder?.items[selection.cursor]
  if (files.folder && item) setNextCursor(files.folder.path, item.name)
}

/** Selects the items of these names, if they are shown, and moves the cursor to the first. */
export function selectByName(names: readonly string[]): void {
  selectNames(files.folder?.items ?? [], new Set(names))
}

/** The selected items, in the order of the list. */
export function selectedItems(): readonly Item[] {
  const { names } = selection
  return names.size === 0 ? [] : (files.folder?.items.filter((item) => names.has(item.name)) ?? [])
}

/** Clears the shown files, cursors and scroll positions before another user's files or a share is shown. */
export function resetFiles(): void {
  current?.abort()
  forgetPositions()
  clearSelection()
  Object.assign(files, { path: '', failure: undefined, folder: undefined, file: undefined })
}

onShowItems(() => {
  const wanted = isFolderShown() && takeWantedNames(files.path)
  if (wanted) selectByName(wanted)
})

const following = createChangeFollower({
  isLoading: () => files.loading,
  // Changes are made in the user's own files; a share shows files of another user. A change further down may be a new
  // folder here.
  isShown: (folder) =>
    !origin.link && files.path.endsWith('/') && (folder ?? files.path).startsWith(files.path),
  refresh: refreshFolder,
})
onChange(({ folders }) => following.hear(folders))

/** Whether the last request for the shown folder or file has failed. */
export function hasFailed(): boolean {
  return isOutdated
}
