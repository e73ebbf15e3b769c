import { proxy, ref } from 'valtio'
import { followingIndex } from '#web/shared/lists/following-index.ts'

/** The selection in a list of rows, and the cursor. `ids` is replaced as a whole at every change. */
interface SelectionState {
  ids: ReadonlySet<string>
  /** The index of the row on which keys act. */
  cursor: number
  /** The index at which a range starts. */
  anchor: number
}

/** Creates the selection of a list. `idOf` returns the id of a row. */
export function createRowSelection<Row>(idOf: (row: Row) => string) {
  type Rows = readonly Row[]
  const state = proxy<SelectionState>({ ids: ref(new Set<string>()), cursor: 0, anchor: 0 })

  function pointAt(index: number): void {
    Object.assign(state, { cursor: index, anchor: index })
  }

  function replace(ids: Iterable<string>): void {
    state.ids = ref(new Set(ids))
  }

  /** The selected rows, in the order of the list. */
  const selectedIn = (rows: Rows) => rows.filter((row) => state.ids.has(idOf(row)))

  return {
    state,
    idOf,
    selectedIn,

    /** Selects only the row at `index`. */
    selectOnly(rows: Rows, index: number): void {
      replace(rows.slice(index, index + 1).map(idOf))
      pointAt(index)
    },

    /** Selects or deselects the row at `index`. */
    toggle(rows: Rows, index: number): void {
      const row = rows[index]
      if (row === undefined) return
      const ids = new Set(state.ids)
      if (!ids.delete(idOf(row))) ids.add(idOf(row))
      replace(ids)
      pointAt(index)
    },

    /** Selects all rows from the anchor to `index`; `keep` adds them to the selection. */
    selectRange(rows: Rows, index: number, keep = false): void {
      const [from, to] = [Math.min(state.anchor, index), Math.max(state.anchor, index)]
      const range = rows.slice(from, to + 1).map(idOf)
      replace(keep ? [...state.ids, ...range] : range)
      state.cursor = index
    },

    /** Selects all rows. */
    selectAll(rows: Rows): void {
      replace(rows.map(idOf))
    },

    /** Moves the cursor without selecting. */
    moveCursor(index: number): void {
      state.cursor = index
    },

    /** Deselects all rows. The cursor stays at `cursor`. */
    clear(cursor = 0): void {
      replace([])
      pointAt(cursor)
    },

    /** Deselects rows that are gone, and keeps the cursor and the anchor on their rows. */
    keep(rows: Rows, before: Rows): void {
      Object.assign(state, {
        cursor: followingIndex(state.cursor, rows, before, idOf),
        anchor: followingIndex(state.anchor, rows, before, idOf),
      })
      if (state.ids.size > 0) replace(selectedIn(rows).map(idOf))
    },
  }
}

export type RowSelection<Row> = ReturnType<typeof createRowSelection<Row>>
