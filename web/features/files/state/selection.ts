import { proxy, ref } from 'valtio'
import type { Item } from '#contract/resources.ts'

/**
 * What is selected, by name, and where the keyboard is. `names` is replaced as a whole at every change: 50,000 names in a
 * watched collection would cost a second each time.
 */
export const selection = proxy({
  names: ref(new Set<string>()) as ReadonlySet<string>,
  /** Index of the item the keyboard acts on. */
  cursor: 0,
  /** Index a range grows from. */
  anchor: 0,
  /** Every click adds or takes away, as with Ctrl: for fingers, and for who holds no keys. */
  multiple: false,
})

type Items = readonly Item[]

/** Selects the item at `index` alone. */
export function selectOnly(items: Items, index: number): void {
  const item = items[index]
  replace(item ? [item.name] : [])
  selection.cursor = index
  selection.anchor = index
}

/** Adds the item at `index` or takes it away. */
export function toggle(items: Items, index: number): void {
  const item = items[index]
  if (!item) return
  const names = new Set(selection.names)
  if (!names.delete(item.name)) names.add(item.name)
  selection.names = ref(names)
  selection.cursor = index
  selection.anchor = index
}

/** Selects everything from the anchor to `index`; `keep` leaves what was selected before. */
export function selectRange(items: Items, index: number, keep = false): void {
  const [from, to] = [Math.min(selection.anchor, index), Math.max(selection.anchor, index)]
  const range = items.slice(from, to + 1).map((item) => item.name)
  replace(keep ? [...selection.names, ...range] : range)
  selection.cursor = index
}

/** Selects all. */
export function selectAll(items: Items): void {
  replace(items.map((item) => item.name))
}

/** Selects nothing and leaves the mode of several; the cursor stays unless the folder is another one. */
export function clearSelection(cursor = 0): void {
  replace([])
  selection.multiple = false
  selection.cursor = cursor
  selection.anchor = cursor
}

/** The index of the item called `name`; the first where there is none of that name. */
export function placeOf(items: readonly Item[], name: string | undefined): number {
  return name === undefined
    ? 0
    : Math.max(
        0,
        items.findIndex((item) => item.name === name),
      )
}

/** After a refresh: what is gone is no longer selected, and the keyboard stays on its item, wherever that went. */
export function keepSelection(items: Items, before: Items = items): void {
  selection.cursor = following(selection.cursor, items, before)
  selection.anchor = following(selection.anchor, items, before)
  if (selection.names.size === 0) return
  replace(items.filter((item) => selection.names.has(item.name)).map((item) => item.name))
}

/** Where the item at `index` of `before` is now; without a selection nobody has pointed at it, and the place counts. */
function following(index: number, items: Items, before: Items): number {
  const name = selection.names.size > 0 ? before[index]?.name : undefined
  const found = name === undefined ? -1 : items.findIndex((item) => item.name === name)
  return found >= 0 ? found : Math.max(0, Math.min(index, items.length - 1))
}

/** From now on, until the selection is cleared, every click adds or takes away. */
export function selectSeveral(): void {
  selection.multiple = true
}

/** Moves the keyboard to `index` without selecting. */
export function moveCursor(index: number): void {
  selection.cursor = index
}

function replace(names: Iterable<string>): void {
  selection.names = ref(new Set(names))
}
