import { typeAhead } from '#web/shared/lists/list-keys.ts'
import { parentOf } from '#web/shared/paths.ts'

/** A folder in the tree. */
export interface TreeRow {
  /** Decoded, with a closing slash. */
  path: string
  name: string
  /** 1 for the folders at the top. */
  level: number
}

/** The visible folders below `path`, from top to bottom; at most `max` inside each folder. */
export function treeRows(
  branches: ReadonlyMap<string, readonly string[]>,
  open: ReadonlySet<string>,
  max: number,
  path = '/',
  level = 1,
): TreeRow[] {
  if (!open.has(path)) return []
  return (branches.get(path) ?? []).slice(0, max).flatMap((name) => {
    const child = `${path}${name}/`
    return [{ path: child, name, level }, ...treeRows(branches, open, max, child, level + 1)]
  })
}

/** What a key does in the tree: moves to a row, or opens or closes the current one. */
export type TreeStep = { to: number } | { opens: boolean } | undefined

/**
 * The effect of `key` on the row at `index` (ARIA, tree view pattern).
 *
 * @param isOpen whether the folder at `index` is open
 */
export function treeStep(key: string, rows: readonly TreeRow[], index: number, isOpen: boolean): TreeStep {
  const last = rows.length - 1
  if (key === 'ArrowDown') return { to: Math.min(index + 1, last) }
  if (key === 'ArrowUp') return { to: Math.max(index - 1, 0) }
  if (key === 'Home') return { to: 0 }
  if (key === 'End') return { to: last }
  if (key === forwardKey()) return isOpen ? { to: firstChild(rows, index) } : { opens: true }
  if (/^Arrow(Left|Right)$/.test(key)) return isOpen ? { opens: false } : { to: parentRow(rows, index) }
  return undefined
}

/** The next folder whose name starts with the typed letters; undefined for other keys. */
export function letterStep(key: string, rows: readonly TreeRow[], index: number): TreeStep {
  // A space does nothing here, a slash opens the search, and a question mark the help.
  if ([...key].length !== 1 || /[/? ]/.test(key)) return undefined
  return { to: typeAhead(key, rows, index) ?? index }
}

/** The arrow key that points into the tree, by the writing direction. */
function forwardKey(): string {
  return document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
}

/** The first row inside the folder at `index`; the same index if it is empty. */
function firstChild(rows: readonly TreeRow[], index: number): number {
  const [row, next] = [rows[index], rows[index + 1]]
  return row && next && next.level > row.level ? index + 1 : index
}

/** The row of the folder around; the same index at the top. */
function parentRow(rows: readonly TreeRow[], index: number): number {
  const parent = rows.findIndex(({ path }) => path === parentOf(rows[index]?.path ?? ''))
  return parent < 0 ? index : parent
}
