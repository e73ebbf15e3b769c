import { ref, subscribe } from 'valtio'
import type { MetadataField } from '#contract/metadata.ts'
import type { Item, Listing } from '#contract/resources.ts'
import { ApiProblem } from '#web/api/client.ts'
import { readFolderMetadata } from '#web/api/metadata.ts'
import { ColumnsMenu } from '#web/features/files/list/columns-menu.tsx'
import { files } from '#web/features/files/state/files-state.ts'
import { listParts } from '#web/features/files/state/list-parts.ts'
import type { OrderedListing } from '#web/features/files/state/order.ts'
import { updateSelection } from '#web/features/files/state/selection.ts'
import { isMosaic } from '#web/features/files/state/view-mode.ts'
import { keepScroll } from '#web/shared/lists/scroll-anchor.ts'
import { session } from '#web/shared/session.ts'
import { arrange } from './arrange.ts'
import { forgetMetadata, knownIn, setMetadata } from './metadata-state.ts'
import { MoreCells } from './more-cells.tsx'
import { MoreHeads } from './more-heads.tsx'
import { metadataOrder, wantedFields } from './wanted.ts'

// The pause before the server reads further files, in milliseconds.
const pauseMs = 200
// A large folder takes the server and this page long: requests after changes take at most a fifth of the time.
const maxPauseMs = 10_000
const pauseFactor = 4
/** The first pause after a lost connection. */
const retryMs = 1000

let current: { key: string; controller: AbortController } | undefined
/** The items that the last request was for, or that this file has sorted since. */
let listed: readonly Item[] | undefined
let pauseUntil = 0
/** The user whose files are remembered. */
let owner: number | undefined
/** What the list was sorted by last: the items, what was known about them, and the order. */
let sortedBy: readonly unknown[] = []

/** Reads the metadata that the shown list needs, and sorts the list by it. Called once. */
export function followMetadata(): void {
  listParts.metadata = ref({
    Cells: MoreCells,
    Heads: MoreHeads,
    Menu: ColumnsMenu,
    arrange: arrangeListing,
  })
  subscribe(files, follow)
  subscribe(session, follow)
  follow()
}

/** Starts, ends or repeats requests when another folder, other items or other fields are shown. */
function follow(): void {
  const { folder } = files
  const { id } = session.user ?? {}
  if (id !== undefined && id !== owner) {
    if (owner !== undefined) forgetMetadata()
    owner = id
  }
  const fields = wantedFields()
  if (!folder || fields.length === 0) {
    stop()
    return
  }
  const key = JSON.stringify([id, folder.path, fields])
  if (current?.key !== key || listed !== folder.items) {
    stop()
    listed = folder.items
    current = { key, controller: new AbortController() }
    void load(folder.path, fields, current.controller.signal)
  }
  sortShown()
}

function stop(): void {
  current?.controller.abort()
  current = undefined
}

/** Asks until the server knows everything. */
async function load(folder: string, fields: readonly MetadataField[], signal: AbortSignal): Promise<void> {
  let failures = 0
  // A folder in which others write without an end is not read without an end.
  await rest(pauseUntil - performance.now(), signal)
  while (!signal.aborted) {
    const began = performance.now()
    const result = await ask(folder, fields, signal)
    const now = performance.now()
    pauseUntil = now + Math.min(maxPauseMs, (now - began) * pauseFactor)
    if (result === 'complete') return
    failures = result === 'failed' ? failures + 1 : 0
    await rest(failures > 0 ? Math.min(maxPauseMs, retryMs * failures) : pauseMs, signal)
  }
}

/** Shows what the server knows now. A refusal is final. A lost connection or a busy server is not. */
async function ask(
  folder: string,
  fields: readonly MetadataField[],
  signal: AbortSignal,
): Promise<'complete' | 'partial' | 'failed'> {
  try {
    const { items, complete } = await readFolderMetadata(folder, fields, signal)
    if (signal.aborted) return 'complete'
    setMetadata(folder, items)
    sortShown()
    return complete ? 'complete' : 'partial'
  } catch (error) {
    const isFinal = error instanceof ApiProblem && error.status >= 400 && error.status < 500
    return isFinal || signal.aborted ? 'complete' : 'failed'
  }
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** A new listing in the order that the user has chosen, with what is known already. */
function arrangeListing(listing: Listing): OrderedListing {
  const order = metadataOrder(listing.view)
  if (!order) return listing
  const path = listing.path.endsWith('/') ? listing.path : `${listing.path}/`
  return { ...listing, sorting: order, items: [...sorted(listing.items, path, listing.view)] }
}

function sorted(items: readonly Item[], path: string, view: Listing['view']): readonly Item[] {
  const order = metadataOrder(view)
  if (!order) return items
  return arrange(items, { order, byName: knownIn(path), usesModified: isMosaic(session.user, view) })
}

/** Sorts the shown list again, when more is known or the order is another. What is in sight stays where it is. */
function sortShown(): void {
  const { folder } = files
  if (!folder) return
  const order = metadataOrder(folder.view)
  if (!order) return
  const before = folder.items
  const isMixed = isMosaic(session.user, folder.view)
  const basis = [before, knownIn(folder.path), order.by, order.asc, isMixed]
  if (basis.every((part, index) => part === sortedBy[index])) return
  const now = sorted(before, folder.path, folder.view)
  const { sorting } = folder
  if (sorting.by !== order.by || sorting.asc !== order.asc) folder.sorting = order
  sortedBy = basis
  if (now.every((item, index) => item === before[index])) return
  const keep = keepScroll(before, now, ({ name }) => name)
  listed = ref([...now])
  sortedBy = [listed, ...basis.slice(1)]
  folder.items = listed
  updateSelection(listed, before)
  void keep.restore()
}
