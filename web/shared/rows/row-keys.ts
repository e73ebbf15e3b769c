import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react'
import { isTyping, type Layout, nextCursor, typeAhead } from '#web/shared/lists/list-keys.ts'
import { actsAtCursor } from './acts-at-cursor.ts'
import type { RowSelection } from './row-selection.ts'

/** What a list of rows does with keys and clicks. */
interface RowActions<Row> {
  selection: RowSelection<Row>
  /** The element id of the row at `index`. */
  rowId(index: number): string
  open(row: Row): void
  /** The Delete key. Missing: the page handles it. */
  remove?(rows: readonly Row[]): void
  /** Shows the menu of the selected rows at a point of the window. */
  showMenu(rows: readonly Row[], x: number, y: number): void
  /** Whether a tap opens a row while none is selected. Otherwise it selects, because touch screens have no Ctrl. */
  tapOpens: boolean
  /** Whether a single click opens a row. */
  clickOpens?(): boolean
}

/** The handlers of a list whose element has the focus, and whose rows have `data-index`. */
export function createRowKeys<Row extends { name: string }>(actions: RowActions<Row>) {
  return { ...createClicks(actions), onKeyDown: createKeys(actions) }
}

function createClicks<Row>({ selection, open, showMenu, tapOpens, clickOpens }: RowActions<Row>) {
  const { state, selectOnly, selectRange, toggle } = selection
  type Rows = readonly Row[]
  let isTouch = false

  function choose(rows: Rows, index: number): void {
    const row = rows[index]
    if (isTouch && (!tapOpens || state.ids.size > 0)) {
      toggle(rows, index)
      return
    }
    if (!isTouch) selectOnly(rows, index)
    if (row && (isTouch || clickOpens?.())) open(row)
  }

  return {
    /** Remembers whether a finger presses. */
    onPointerDown({ pointerType }: PointerEvent): void {
      isTouch = pointerType === 'touch'
    },

    /** Handles a click: selects, toggles or extends the selection, or opens where a click opens. */
    onClick(event: MouseEvent, rows: Rows): void {
      const index = indexAt(event)
      if (index === undefined) selection.clear(state.cursor)
      else if (event.shiftKey) selectRange(rows, index, isMod(event))
      else if (isMod(event) || isCheck(event)) toggle(rows, index)
      else choose(rows, index)
    },

    /** Opens a row on double click. */
    onDoubleClick(event: MouseEvent, rows: Rows): void {
      const row = rows[indexAt(event) ?? -1]
      const isPlain = !isTouch && !isCheck(event) && !isMod(event) && !event.shiftKey
      if (row && isPlain && !clickOpens?.()) open(row)
    },

    /** The secondary button opens the menu of the row, or of the whole selection if it contains the row. */
    onContextMenu(event: MouseEvent, rows: Rows): void {
      // With Shift, the browser shows its own menu.
      if (event.shiftKey) return
      event.preventDefault()
      const index = indexAt(event) ?? -1
      const row = rows[index]
      if (!row) return
      // A long press selects where a tap opens.
      if (isTouch && tapOpens) toggle(rows, index)
      if (isTouch) return
      if (!state.ids.has(selection.idOf(row))) selectOnly(rows, index)
      showMenu(selection.selectedIn(rows), event.clientX, event.clientY)
    },
  }
}

/** Handles the keys of the list. Other keys continue to the page. */
function createKeys<Row extends { name: string }>({
  selection,
  rowId,
  open,
  remove,
  showMenu,
}: RowActions<Row>) {
  const { state, selectedIn, selectOnly } = selection
  type Rows = readonly Row[]

  return (event: KeyboardEvent, rows: Rows, layout: Layout): void => {
    if (event.nativeEvent.isComposing) return
    const target = event.altKey ? undefined : nextCursor(event.key, state.cursor, layout)
    if (state.ids.size === 0 && actsAtCursor(event)) selectOnly(rows, state.cursor)
    if (target !== undefined) moveTo(selection, { event, rows, target })
    else if (!onOtherKey(event, rows)) return
    event.preventDefault()
    event.stopPropagation()
  }

  function onOtherKey(event: KeyboardEvent, rows: Rows): boolean {
    const { key, shiftKey, altKey } = event
    if (key === 'Enter') return openCursor(rows)
    if (key === 'Delete' && remove) return removeSelected(rows)
    if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return showMenuAtCursor(rows)
    if (key === 'Escape') return clear()
    return !altKey && onLetter(selection, event, rows)
  }

  function openCursor(rows: Rows): boolean {
    const row = rows[state.cursor]
    if (!row) return false
    selectOnly(rows, state.cursor)
    open(row)
    return true
  }

  function removeSelected(rows: Rows): boolean {
    const chosen = selectedIn(rows)
    if (chosen.length > 0) remove?.(chosen)
    return chosen.length > 0
  }

  function clear(): boolean {
    const had = state.ids.size > 0
    selection.clear(state.cursor)
    return had
  }

  function showMenuAtCursor(rows: Rows): boolean {
    if (rows.length === 0) return false
    if (state.ids.size === 0) selectOnly(rows, state.cursor)
    const box = document.getElementById(rowId(state.cursor))?.getBoundingClientRect()
    const isRtl = document.documentElement.dir === 'rtl'
    const x = box ? (isRtl ? box.right - 48 : box.left + 48) : 0
    showMenu(selectedIn(rows), x, box ? box.bottom - 8 : 0)
    return true
  }
}

interface Move<Row> {
  event: KeyboardEvent
  rows: readonly Row[]
  target: number
}

function moveTo<Row>(selection: RowSelection<Row>, { event, rows, target }: Move<Row>): void {
  const { state, selectOnly, selectRange, moveCursor } = selection
  // The first arrow key selects the row at the cursor.
  const isFirst = state.ids.size === 0 && event.key.startsWith('Arrow')
  if (event.shiftKey) selectRange(rows, target, isMod(event))
  else if (isMod(event)) moveCursor(target)
  else selectOnly(rows, isFirst ? Math.min(state.cursor, rows.length - 1) : target)
}

/** A space selects, Ctrl+A selects all, a letter searches in the names. */
function onLetter<Row extends { name: string }>(
  { state, selectAll, selectOnly, selectRange, toggle }: RowSelection<Row>,
  event: KeyboardEvent,
  rows: readonly Row[],
): boolean {
  const { key, ctrlKey, shiftKey, metaKey } = event
  if (isMod(event) && key.toLowerCase() === 'a' && !shiftKey) {
    selectAll(rows)
    return true
  }
  if (key === ' ' && !metaKey && (ctrlKey || !isTyping())) {
    if (shiftKey) selectRange(rows, state.cursor)
    else toggle(rows, state.cursor)
    return true
  }
  // The slash moves to a search field, the question mark opens the help.
  if (isMod(event) || [...key].length !== 1 || key === '/' || key === '?') return false
  const index = typeAhead(key, rows, state.cursor)
  if (index !== undefined) selectOnly(rows, index)
  return true
}

function indexAt({ target }: { target: EventTarget }): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
  return row ? Number(row.dataset.index) : undefined
}

function isCheck({ target }: { target: EventTarget }): boolean {
  return target instanceof Element && target.closest('[data-check]') !== null
}

function isMod({ ctrlKey, metaKey }: { ctrlKey: boolean; metaKey: boolean }): boolean {
  return ctrlKey || metaKey
}
