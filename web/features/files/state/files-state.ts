import { i18n } from '@lingui/core'
import { proxy, ref, subscribe } from 'valtio'
import type { FileView, Item, Listing } from '#contract/resources.ts'
import type { Sorting } from '#contract/users.ts'
import type { FailureCode } from '#web/api/client.ts'
import { origin, readResource } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { onChange } from '#web/shared/changes.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { tell } from '#web/ui/toasts.ts'
import { hold } from './clipboard-state.ts'
import { followChanges } from './follow-changes.ts'
import { clearSelection, keepSelection, placeOf, selection } from './selection.ts'

/** An open file, with the state it was read in (`If-Match`). */
export interface OpenFile extends FileView {
  etag: string
}

interface Folder {
  path: string
  /** Empty for the person's own top folder. */
  name: string
  items: readonly Item[]
  sorting: Sorting
}

/** What the address shows. The last folder stays while a file of it is open, so that closing it costs nothing. */
export const files = proxy({
  /** The decoded path the address means. */
  path: '',
  loading: false,
  /** Deletions, moves and copies that are under way. */
  tasks: 0,
  failure: undefined as FailureCode | undefined,
  /** The order that was just wished for, until the list comes in it. */
  sorting: undefined as Sorting | undefined,
  /** The folder last shown; its items are one plain array, too long to be watched item by item. */
  folder: undefined as Folder | undefined,
  /** The open file; while another one is on its way, still the one before. */
  file: undefined as OpenFile | undefined,
})

/** Scroll offsets by folder, for coming back, in pixels. */
export const offsets = new Map<string, number>()

/** Names of the items the keyboard stood on, by folder. */
const cursors = new Map<string, string>()

let current: AbortController | undefined
/** What is shown may be older than what the server has: nobody answered when it was asked again. */
let isOutdated = false

/**
 * Shows `path`. What is already here of it is shown at once and refreshed behind; an older call that is still under
 * way is given up. `password` opens a link that asks for one.
 */
export async function show(path: string, password?: string): Promise<void> {
  if (files.path !== path) enter(path)
  current?.abort()
  const controller = new AbortController()
  const { signal } = controller
  current = controller
  following.forget()
  files.loading = true
  let etag = ''
  const onEtag = (now: string) => {
    etag = now
  }
  try {
    const answer = await readResource(path, { signal, onEtag, password })
    if (signal.aborted) return
    take(path, 'items' in answer ? answer : { ...answer, etag })
    files.failure = undefined
    isOutdated = false
  } catch (error) {
    if (!signal.aborted) miss(path, codeOf(error))
  } finally {
    if (current === controller) {
      files.loading = false
      following.goOn()
    }
  }
}

/** Asks again for the folder that is shown; an open file stays as it was read. */
export async function refresh(): Promise<void> {
  if (files.path.endsWith('/')) await show(files.path)
}

/** Whether the address shows `path` of the person's own files, and not of a link that was opened meanwhile. */
export function isAt(path: string): boolean {
  return !origin.link && files.path === path
}

/** Whether the folder that was shown last is the one that is meant now, and nothing stands in for it. */
export function isFolderShown(): boolean {
  return !files.file && !files.failure && files.folder?.path === files.path
}

function enter(path: string): void {
  leaveFolder()
  files.path = path
  files.failure = undefined
  // From file to file the old one stays until the new one is here: between them nobody gets at the list below.
  if (path.endsWith('/')) files.file = undefined
  // Any change of route resets the selection. The cursor stays.
  clearSelection(selection.cursor)
}

function take(path: string, answer: Listing | OpenFile): void {
  if (!('items' in answer)) {
    const hasTurned = files.file && files.file.path !== answer.path
    files.path = answer.path
    files.file = ref(answer)
    // After paging to another file, the keyboard comes back to that one.
    if (hasTurned && files.folder?.path === parentOf(answer.path)) pointAt(answer.name)
    return
  }
  const folder = path.endsWith('/') ? path : `${path}/`
  const left = files.folder?.path
  const before = files.folder?.items
  files.file = undefined
  files.path = folder
  put(folder, answer)
  if (left === folder) keepSelection(answer.items, before)
  else clearSelection(placeOf(answer.items, cursors.get(folder)))
  // Up from a folder, the keyboard stands on that folder: Enter goes back into it.
  if (left && left !== '/' && parentOf(left) === folder) pointAt(nameOf(left))
}

function put(path: string, { name, items, sorting }: Listing): void {
  files.folder = { path, name, items: ref(items), sorting }
}

/** Puts the folder of an open file below it, which was opened without that: by its address, or from a search. */
export function surround(path: string, listing: Listing): void {
  put(path, listing)
  clearSelection()
  if (files.file) pointAt(files.file.name)
}

/** Moves the keyboard to the item of this name, if it is shown. Selects nothing. */
function pointAt(name: string): void {
  const index = files.folder?.items.findIndex((item) => item.name === name) ?? -1
  if (index < 0) return
  selection.cursor = index
  selection.anchor = index
}

/** What is here stays when it cannot be asked for again, unless it is gone or forbidden. */
function miss(path: string, code: FailureCode): void {
  isOutdated = true
  const here = files.file?.path ?? files.folder?.path
  if (here === path && !files.failure && !/^(path|auth|share)\./.test(code)) {
    tell('error', i18n._(problemText(code)))
    return
  }
  files.file = undefined
  files.failure = code
}

/** Puts the cursor on `name` when `folder` is shown next. */
export function pointLater(folder: string, name: string): void {
  cursors.set(folder, name)
}

function leaveFolder(): void {
  const item = files.folder?.items[selection.cursor]
  if (files.folder && item) cursors.set(files.folder.path, item.name)
}

/** Marks the items of these names, as far as they are shown, and moves the cursor to the first. */
export function reveal(names: readonly string[]): void {
  const wanted = new Set(names)
  const items = files.folder?.items ?? []
  const index = items.findIndex((item) => wanted.has(item.name))
  if (index < 0) return
  selection.names = ref(new Set(items.flatMap(({ name }) => (wanted.has(name) ? name : []))))
  selection.cursor = index
  selection.anchor = index
}

/** The items that are selected, in the order of the list. */
export function chosen(): readonly Item[] {
  const { names } = selection
  return names.size === 0 ? [] : (files.folder?.items.filter((item) => names.has(item.name)) ?? [])
}

/** Clears the shown files, cursors and scroll positions before another user's files or a link is shown. */
export function forgetShown(): void {
  current?.abort()
  offsets.clear()
  cursors.clear()
  clearSelection()
  Object.assign(files, { path: '', failure: undefined, folder: undefined, file: undefined })
}

let owner: number | undefined

// What one person saw is nothing for the next who signs in here; for the same one it is still there.
subscribe(
  session,
  () => {
    const id = session.user?.id
    if (id === undefined || id === owner) return
    if (owner !== undefined) {
      // A link shows the same to everybody.
      if (!origin.link) forgetShown()
      hold('copy', [])
    }
    owner = id
  },
  true,
)

const following = followChanges({
  isLoading: () => files.loading,
  // What people change is their own; a link shows the files of somebody else. A change further down may be a new folder here.
  isShown: (folder) =>
    !origin.link && files.path.endsWith('/') && (folder ?? files.path).startsWith(files.path),
  refresh,
})
onChange(following.hear)

/** From now on, what could not be asked for while nobody answered is asked for when the network is back. */
export function watchNetwork(): void {
  addEventListener('online', () => {
    if (isOutdated && (session.user || origin.link)) void show(files.path)
  })
}
