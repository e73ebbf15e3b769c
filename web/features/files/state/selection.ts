import { proxy, ref } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { followingIndex } from '#web/shared/lists/following-index.ts'

/**
 * The selected names and the cursor. `names` is replaced as a whole at every change: 50,000 names in an observed set
 * would cost a second each time.
 */
export const selection = proxy({
  names: ref(new Set<string>()) as ReadonlySet<string>,
  /** The index of the item on which keys act. */
  cursor: 0,
  /** The index at which a range starts. */
  anchor: 0,
  /**
   * Multiple selection: every click toggles an item, as with Ctrl. For touch screens and for use without modifier keys.
   */
  multiple: false,
})

type Items = readonly Item[]

/** Selects only the item at `index`. */
export function selectOnly(items: Items, index: number): void {
  const item = items[index]
  replace(item ? [item.name] : [])
  selection.cursor = index
  selection.anchor = index
}

/** Selects or deselects the item at `index`. */
export function toggleItem(items: Items, index: number): void {
  const item = items[index]
  if (!item) return
  const names = new Set(selection.names)
  if (!names.delete(item.name)) names.add(item.name)
  selection.names = ref(names)
  selection.cursor = index
  selection.anchor = index
}

/** Selects all items from the anchor to `index`; `keep` adds them to the selection. */
export function selectRange(items: Items, index: number, keep = false): void {
  const [from, to] = [Math.min(selection.anchor, index), Math.max(selection.anchor, index)]
  const range = items.slice(from, to + 1).map((item) => item.name)
  replace(keep ? [...selection.names, ...range] : range)
  selection.cursor = index
}

/** Selects the items with these names and moves the cursor to the first. Does nothing if there are none. */
export function selectNames(items: Items, names: ReadonlySet<string>): void {
  const index = items.findIndex(({ name }) => names.has(name))
  if (index < 0) return
  replace(items.flatMap(({ name }) => (names.has(name) ? name : [])))
  selection.cursor = index
  selection.anchor = index
}

/** Selects all items. */
export function selectAll(items: Items): void {
  replace(items.map((item) => item.name))
}

/** Clears the selection, turns multiple selection off, and moves the cursor to `cursor`. */
export function clearSelection(cursor = 0): void {
  replace([])
  selection.multiple = false
  selection.cursor = cursor
  selection.anchor = cursor
}

/** The index of the item called `name`; 0 if there is none. */
export function indexOfName(items: readonly Item[], name: string | undefined): number {
  return name === undefined
    ? 0
    : Math.max(
        0,
        items.findIndex((item) => item.name === name),
      )
}

/**
 * Updates the selection after a refresh: deselects missing items, and keeps the cursor on its item at its new index.
 */
export function updateSelection(items: Items, before: Items = items): void {
  selection.cursor = following(selection.cursor, items, before)
  selection.anchor = following(selection.anchor, items, before)
  if (selection.names.size === 0) return
  replace(items.filter((item) => selection.names.has(item.name)).map((item) => item.name))
}

/**
 * The new index of the item at `index` of `before`. Without a selection, the index itself stays, because the user has
 * pointed at no item.
 */
function following(index: number, items: Items, before: Items): number {
  const shown = selection.names.size > 0 ? before : []
  return followingIndex(index, items, shown, ({ name }) => name)
}

/** Turns multiple selection on until the selection is cleared. */
export function startMultipleSelection(): void {
  selection.multiple = true
}

/** Moves the cursor to `index` without selecting. */
export function moveCursor(index: number): void {
  selection.cursor = index
}

function replace(names: Iterable<string>): void {
  selection.names = ref(new Set(names))
}
