import { proxy, ref, subscribe } from 'valtio'
import type { FileView, Item, Listing } from '#contract/resources.ts'
import type { Sorting } from '#contract/users.ts'
import { api, type FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { onChange } from '#web/app/changes.ts'
import { nameOf, parentOf } from '#web/app/paths.ts'
import { savePreferences, session } from '#web/app/session.ts'
import { hold } from './clipboard-state.ts'
import { clearSelection, keepSelection, selection } from './selection.ts'

/** An open file, with the state it was read in (`If-Match`). */
export interface OpenFile extends FileView {
  etag: string
}

/** What the address shows. The last folder stays while a file of it is open, so that closing it costs nothing. */
export const files = proxy({
  /** The decoded path the address means. */
  path: '',
  loading: false,
  /** Deletions, moves and copies that are under way. */
  tasks: 0,
  failure: undefined as FailureCode | undefined,
  /** The folder last shown; its items are one plain array, too long to be watched item by item. */
  folder: undefined as { path: string; items: readonly Item[]; sorting: Sorting } | undefined,
  file: undefined as OpenFile | undefined,
})

/** Scroll offsets by folder, for coming back, in pixels. */
export const offsets = new Map<string, number>()

/** Names of the items the keyboard stood on, by folder. */
const cursors = new Map<string, string>()

let current: AbortController | undefined

/**
 * Shows `path`. What is already here of it is shown at once and refreshed behind; an older call that is still under
 * way is given up.
 */
export async function show(path: string): Promise<void> {
  const isNew = files.path !== path
  files.path = path
  if (isNew) enter(path)
  current?.abort()
  const controller = new AbortController()
  current = controller
  files.loading = true
  let etag = ''
  const onEtag = (now: string) => {
    etag = now
  }
  try {
    const answer = await api(
      'GET /api/resources/*',
      { params: { '*': path }, query: {} },
      { signal: controller.signal, onEtag },
    )
    if (controller.signal.aborted) return
    take(path, 'items' in answer ? answer : { ...answer, etag })
    files.failure = undefined
  } catch (error) {
    if (controller.signal.aborted) return
    files.failure = codeOf(error)
  } finally {
    if (current === controller) files.loading = false
  }
}

/** Asks again for what is shown. */
export function refresh(): Promise<void> {
  return show(files.path)
}

function enter(path: string): void {
  leaveFolder()
  files.failure = undefined
  if (files.file && files.file.path !== path) files.file = undefined
  // Back from a file to its folder, the selection is still there; anywhere else it starts anew.
  if (files.folder?.path !== path && files.folder?.path !== parentOf(path)) clearSelection()
}

function take(path: string, answer: Listing | OpenFile): void {
  if (!('items' in answer)) {
    files.file = ref(answer)
    return
  }
  const { items, sorting } = answer
  const folder = path.endsWith('/') ? path : `${path}/`
  const left = files.folder?.path
  const before = files.folder?.items
  files.file = undefined
  files.path = folder
  files.folder = { path: folder, items: ref(items), sorting }
  if (left === folder) keepSelection(items, before)
  else clearSelection(placeOf(items, cursors.get(folder)))
  // Up from a folder, that folder is marked: Enter goes back into it.
  if (left && left !== '/' && parentOf(left) === folder) reveal([nameOf(left)])
}

function leaveFolder(): void {
  const item = files.folder?.items[selection.cursor]
  if (files.folder && item) cursors.set(files.folder.path, item.name)
}

function placeOf(items: readonly Item[], name: string | undefined): number {
  return name === undefined
    ? 0
    : Math.max(
        0,
        items.findIndex((item) => item.name === name),
      )
}

/** Sorts by `by`; a second time turns the order round. The server sorts and remembers it (specification, section 2). */
export async function sortBy(by: Sorting['by']): Promise<void> {
  const sorting = nextSorting(files.folder?.sorting ?? session.user?.sorting, by)
  if (files.folder) files.folder.sorting = sorting
  await savePreferences({ sorting })
  await refresh()
}

/** For names `asc: false` is A to Z, so every column starts at its false or small end (reference 16.6). */
export function nextSorting(now: Sorting | undefined, by: Sorting['by']): Sorting {
  if (now?.by === by) return { by, asc: !now.asc }
  return { by, asc: by !== 'name' }
}

/** Whether the column runs from small to large, from A to Z, from old to new. */
export function isAscending({ by, asc }: Sorting): boolean {
  return by === 'name' ? !asc : asc
}

/**
 * Creates a folder in the one that is shown and marks it.
 *
 * @throws ApiProblem when the name cannot be used or the right is missing.
 */
export async function createFolder(name: string): Promise<void> {
  const folder = files.folder?.path ?? '/'
  await api('POST /api/resources/*', { params: { '*': `${folder}${name}/` }, query: {} })
  await refresh()
  reveal([name])
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

let owner: number | undefined

// What one person saw is nothing for the next who signs in here; for the same one it is still there.
subscribe(
  session,
  () => {
    const id = session.user?.id
    if (id === undefined || id === owner) return
    if (owner !== undefined) {
      current?.abort()
      offsets.clear()
      cursors.clear()
      Object.assign(files, { path: '', failure: undefined, folder: undefined, file: undefined })
      hold('copy', [])
    }
    owner = id
  },
  true,
)

let refreshing: ReturnType<typeof setTimeout> | undefined

// Uploads finish by the hundred; the list follows at most twice a second. A change further down may be a new folder here.
onChange((folder) => {
  const shown = files.folder?.path
  if (!shown || !(folder ?? shown).startsWith(shown) || refreshing !== undefined) return
  refreshing = setTimeout(() => {
    refreshing = undefined
    if (files.path === shown) void refresh()
  }, 400)
})
