import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react'
import type { Item } from '#contract/resources.ts'
import { openItem } from '#web/features/files/menus/files-actions.ts'
import { clearCutItems } from '#web/features/files/state/clipboard-state.ts'
import { hasAllItems } from '#web/features/files/state/files-state.ts'
import { listParts, withActionParts } from '#web/features/files/state/list-parts.ts'
import {
  clearSelection,
  moveCursor,
  selection,
  selectOnly,
  selectRange,
  startMultipleSelection,
  toggleItem,
} from '#web/features/files/state/selection.ts'
import { isTyping, type Layout, nextCursor, typeAhead } from '#web/shared/lists/list-keys.ts'
import { actsAtCursor } from '#web/shared/rows/acts-at-cursor.ts'
import { session } from '#web/shared/session.ts'
import { clickedIndex, itemIndexAt } from './clicked-item.ts'
import { itemId } from './file-row.tsx'
import { trackMouseDown } from './mouse-release.ts'

type Items = readonly Item[]

/** Duration of a long press, which selects, in milliseconds. */
const longPressMs = 450

let press: { timer: ReturnType<typeof setTimeout>; x: number; y: number } | undefined
let wasLongPress = false
let isTouch = false

function isCheck({ target }: { target: EventTarget }): boolean {
  return target instanceof Element && target.closest('[data-check]') !== null
}

/** Handles a click: selects, toggles or extends the selection, or opens where a single click opens. */
export function onClick(event: MouseEvent, items: Items): void {
  if (isControl(event.target)) return
  event.preventDefault()
  const index = clickedIndex(event, items)
  if (wasLongPress) wasLongPress = false
  else if (index === undefined) clearSelection(selection.cursor)
  else if (event.shiftKey) selectRange(items, index, isMod(event))
  else if (isMod(event) || isCheck(event)) toggleItem(items, index)
  else choose(items, index)
}

function choose(items: Items, index: number): void {
  // While something is selected, a tap toggles, because touch screens have no Ctrl.
  if (selection.multiple || (isTouch && selection.names.size > 0)) {
    toggleItem(items, index)
    return
  }
  // A tap opens, as everywhere on touch screens. A long press or the check mark selects.
  if (!isTouch) selectOnly(items, index)
  const item = items[index]
  if (item && (isTouch || isSingleClick())) openItem(item)
}

/** Whether a single click opens. Visitors of a share have no setting; for them, names behave like hyperlinks. */
function isSingleClick(): boolean {
  return session.user?.singleClick ?? true
}

function isMod({ ctrlKey, metaKey }: { ctrlKey: boolean; metaKey: boolean }): boolean {
  return ctrlKey || metaKey
}

/** Opens an item on double click. Skips touch, and views where one click opens. */
export function onDoubleClick(event: MouseEvent, items: Items): void {
  if (isTouch || isSingleClick()) return
  const item = items[clickedIndex(event, items) ?? -1]
  if (item && !isCheck(event) && !isMod(event) && !event.shiftKey) openItem(item)
}

/** The middle button opens an item in another tab, as with any hyperlink. */
export function onAuxClick(event: MouseEvent, items: Items): void {
  const item = items[itemIndexAt(event) ?? -1]
  if (!item || event.button !== 1) return
  event.preventDefault()
  openItem(item, true)
}

/** The secondary button opens the menu of the item, or of the whole selection if it contains the item. */
export function onContextMenu(event: MouseEvent, items: Items): void {
  // With Shift, the browser shows its own menu.
  if (isControl(event.target) || event.shiftKey) return
  event.preventDefault()
  // A long press selects instead.
  if (isTouch) return
  const index = itemIndexAt(event)
  if (index === undefined) clearSelection(selection.cursor)
  else if (!selection.names.has(items[index]?.name ?? '')) selectOnly(items, index)
  withActionParts(({ openMenu }) => openMenu(event.clientX, event.clientY))
}

function showMenuAtCursor(items: Items): boolean {
  if (selection.names.size === 0) selectOnly(items, selection.cursor)
  const box = document.getElementById(itemId(selection.cursor))?.getBoundingClientRect()
  // Beside the check mark, at the start of the line.
  const isRtl = document.documentElement.dir === 'rtl'
  const [x, y] = box ? [isRtl ? box.right - 48 : box.left + 48, box.bottom - 8] : [0, 0]
  withActionParts(({ openMenu }) => openMenu(x, y))
  return true
}

/** Starts a long press on touch screens: it selects the item and turns multiple selection on. */
export function onPointerDown(event: PointerEvent, items: Items): void {
  const index = itemIndexAt(event)
  wasLongPress = false
  isTouch = event.pointerType === 'touch'
  trackMouseDown(event)
  const item = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null
  if (item) item.draggable = !isTouch && isHandle(event.target as Element, item)
  if (!isTouch || index === undefined) return
  endLongPress()
  const timer = setTimeout(() => {
    wasLongPress = true
    navigator.vibrate?.(10)
    if (!selection.names.has(items[index]?.name ?? '')) toggleItem(items, index)
    startMultipleSelection()
  }, longPressMs)
  press = { timer, x: event.clientX, y: event.clientY }
}

/**
 * Whether a press on `target` drags `item`. Selected items and cards are draggable everywhere, other rows only by their
 * name; beside it, a press draws a selection box.
 */
function isHandle(target: Element, item: Element): boolean {
  if (item.ariaSelected === 'true' || item.role === 'gridcell') return true
  return target.closest('a, svg') !== null && target.closest('[data-check]') === null
}

/** Cancels the long press when the finger moves: it scrolls. */
export function onPointerMove(event: PointerEvent): void {
  if (press && Math.hypot(event.clientX - press.x, event.clientY - press.y) > 10) endLongPress()
}

/** Ends the long press when the finger is lifted or the browser takes over. */
export function endLongPress(): void {
  clearTimeout(press?.timer)
  press = undefined
}

/** Handles the keys of the list. Other keys continue to the page. `isIncomplete`: only the first items are there. */
export function onKeyDown(event: KeyboardEvent, items: Items, layout: Layout, isIncomplete: boolean): void {
  if (isControl(event.target) || event.nativeEvent.isComposing) return
  if (isIncomplete && needsAll(event)) {
    repeatLater(event)
    return
  }
  const target = event.altKey ? undefined : nextCursor(event.key, selection.cursor, layout)
  if (target !== undefined) moveTo(event, items, target)
  else if (!act(event, items)) {
    // The page then deletes or renames what is selected.
    if (selection.names.size === 0 && actsAtCursor(event)) selectOnly(items, selection.cursor)
    return
  }
  event.preventDefault()
  event.stopPropagation()
}

/** Whether a key goes to the end of the list, or to a name in all of it. */
function needsAll({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key === 'End' || (key.length === 1 && !/[ /?]/.test(key) && !ctrlKey && !metaKey && !altKey)
}

function repeatLater({ nativeEvent: event, currentTarget: list }: KeyboardEvent): void {
  event.preventDefault()
  event.stopPropagation()
  void hasAllItems().then((isComplete) => {
    // React draws the items in a later task.
    if (isComplete) setTimeout(() => list.dispatchEvent(new KeyboardEvent(event.type, event)))
  })
}

function moveTo(event: KeyboardEvent, items: Items, target: number): void {
  // The first arrow key selects the item at the cursor.
  const isFirst = selection.names.size === 0 && event.key.startsWith('Arrow')
  if (event.shiftKey) selectRange(items, target, isMod(event))
  else if (isMod(event)) moveCursor(target)
  else selectOnly(items, isFirst ? Math.min(selection.cursor, items.length - 1) : target)
}

function act(event: KeyboardEvent, items: Items): boolean {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if (key === 'Enter') return openCursor(items, isMod(event))
  if (key === 'Escape') return clearOnEscape()
  if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey)) return showMenuAtCursor(items)
  if (altKey || metaKey || [...key].length !== 1) return false
  if (key === ' ' && (ctrlKey || !isTyping())) return onSpace(event, items)
  // Shift+N is a shortcut of the page, except inside a word.
  return !ctrlKey && !(shiftKey && key === 'N' && !isTyping()) && find(items, key)
}

function openCursor(items: Items, aside: boolean): boolean {
  const item = items[selection.cursor]
  if (item) openItem(item, aside)
  return item !== undefined
}

function clearOnEscape(): boolean {
  const had = selection.names.size > 0
  clearSelection(selection.cursor)
  return clearCutItems() || had
}

/** Space shows a preview, with Ctrl it toggles the item, and with Shift it extends the selection. */
function onSpace({ ctrlKey, shiftKey, repeat }: KeyboardEvent, items: Items): boolean {
  if (shiftKey) selectRange(items, selection.cursor)
  else if (ctrlKey) toggleItem(items, selection.cursor)
  else if (!repeat) listParts.actions?.preview()
  return true
}

function find(items: Items, letter: string): boolean {
  // Names contain no slash and rarely a question mark. These keys are reserved for search and help.
  if (letter === '/' || letter === '?') return false
  const isWord = isTyping()
  const index = typeAhead(letter, items, selection.cursor)
  if (index !== undefined) selectOnly(items, index)
  // A letter with which no name starts may be a shortcut of the page.
  return isWord || index !== undefined
}

/** Column headers contain buttons. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('button') !== null
}
