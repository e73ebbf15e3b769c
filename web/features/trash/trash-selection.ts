import { proxy, ref } from 'valtio'
import type { TrashItem } from '#contract/history/kept.ts'

/** The selected entries of the trash, and the cursor. `ids` is replaced as a whole at every change. */
export const trashSelection = proxy({
  ids: ref(new Set<string>()) as ReadonlySet<string>,
  /** The index of the entry on which keys act. */
  cursor: 0,
  /** The index at which a range starts. */
  anchor: 0,
})

type Items = readonly TrashItem[]

/** The selected entries, in the order of the list. */
export function selectedIn(items: Items): TrashItem[] {
  return items.filter(({ id }) => trashSelection.ids.has(id))
}

/** Selects only the entry at `index`. */
export function selectOnly(items: Items, index: number): void {
  replace(items[index] ? [items[index].id] : [])
  pointAt(index)
}

/** Selects or deselects the entry at `index`. */
export function toggle(items: Items, index: number): void {
  const item = items[index]
  if (!item) return
  const ids = new Set(trashSelection.ids)
  if (!ids.delete(item.id)) ids.add(item.id)
  replace(ids)
  pointAt(index)
}

/** Selects all entries from the anchor to `index`; `keep` adds them to the selection. */
export function selectRange(items: Items, index: number, keep = false): void {
  const [from, to] = [Math.min(trashSelection.anchor, index), Math.max(trashSelection.anchor, index)]
  const range = items.slice(from, to + 1).map(({ id }) => id)
  replace(keep ? [...trashSelection.ids, ...range] : range)
  trashSelection.cursor = index
}

/** Selects all loaded entries. */
export function selectAllOf(items: Items): void {
  replace(items.map(({ id }) => id))
}

/** Moves the cursor without selecting. */
export function moveTrashCursor(index: number): void {
  trashSelection.cursor = index
}

/** Deselects all entries. The cursor stays at `cursor`. */
export function clearTrashSelection(cursor = 0): void {
  replace([])
  pointAt(cursor)
}

/** Deselects entries that are gone, and keeps the cursor and the anchor on their entries. */
export function keepSelection(items: Items, before: Items): void {
  const { ids, cursor, anchor } = trashSelection
  Object.assign(trashSelection, {
    cursor: following(cursor, items, before),
    anchor: following(anchor, items, before),
  })
  if (ids.size > 0) replace(selectedIn(items).map(({ id }) => id))
}

function following(index: number, items: Items, before: Items): number {
  const id = before[index]?.id
  const found = items[index]?.id === id ? index : items.findIndex((item) => item.id === id)
  return found >= 0 ? found : Math.max(0, Math.min(index, items.length - 1))
}

function pointAt(index: number): void {
  Object.assign(trashSelection, { cursor: index, anchor: index })
}

function replace(ids: Iterable<string>): void {
  trashSelection.ids = ref(new Set(ids))
}
