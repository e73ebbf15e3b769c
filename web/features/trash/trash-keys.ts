import { i18n } from '@lingui/core'
import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react'
import type { TrashItem } from '#contract/history/kept.ts'
import { ask } from '#web/overlays/ask.ts'
import { isTyping, type Layout, nextCursor, typeAhead } from '#web/shared/lists/list-keys.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { act } from './trash-actions.ts'
import { trashRowId } from './trash-row.tsx'
import {
  clearTrashSelection,
  moveTrashCursor,
  selectAllOf,
  selectedIn,
  selectOnly,
  selectRange,
  toggle,
  trashSelection,
} from './trash-selection.ts'
import { type TrashVerb, verbsFor, verbTexts } from './trash-verbs.ts'

const ContextMenu = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ContextMenu)

type Items = readonly TrashItem[]

let isTouch = false

/** Remembers whether a finger presses: touch screens have no Ctrl, so there a tap toggles. */
export function onPointerDown({ pointerType }: PointerEvent): void {
  isTouch = pointerType === 'touch'
}

/** Handles a click: selects, toggles or extends the selection. */
export function onClick(event: MouseEvent, items: Items): void {
  const index = indexAt(event)
  if (index === undefined) clearTrashSelection(trashSelection.cursor)
  else if (event.shiftKey) selectRange(items, index, isMod(event))
  else if (isMod(event) || isTouch || isCheck(event)) toggle(items, index)
  else selectOnly(items, index)
}

/** Shows an entry on double click. */
export function onDoubleClick(event: MouseEvent, items: Items): void {
  const item = items[indexAt(event) ?? -1]
  if (item && !isTouch && !isCheck(event) && !isMod(event) && !event.shiftKey) void act('look', [item])
}

/** The secondary button opens the menu of the entry, or of the whole selection if it contains the entry. */
export function onContextMenu(event: MouseEvent, items: Items): void {
  // With Shift, the browser shows its own menu.
  if (event.shiftKey) return
  event.preventDefault()
  const index = indexAt(event)
  if (isTouch || index === undefined) return
  if (!trashSelection.ids.has(items[index]?.id ?? '')) selectOnly(items, index)
  void showMenu(items, event.clientX, event.clientY)
}

/** Handles the keys of the list. Other keys continue to the page. */
export function onKeyDown(event: KeyboardEvent, items: Items, layout: Layout): void {
  if (event.nativeEvent.isComposing) return
  const target = event.altKey ? undefined : nextCursor(event.key, trashSelection.cursor, layout)
  if (target !== undefined) moveTo(event, items, target)
  else if (!onOtherKey(event, items)) return
  event.preventDefault()
  event.stopPropagation()
}

function moveTo(event: KeyboardEvent, items: Items, target: number): void {
  // The first arrow key selects the entry at the cursor.
  const isFirst = trashSelection.ids.size === 0 && event.key.startsWith('Arrow')
  if (event.shiftKey) selectRange(items, target, isMod(event))
  else if (isMod(event)) moveTrashCursor(target)
  else selectOnly(items, isFirst ? Math.min(trashSelection.cursor, items.length - 1) : target)
}

function onOtherKey(event: KeyboardEvent, items: Items): boolean {
  const { key, shiftKey, altKey } = event
  if (key === 'Enter') return run('look', items, [items[trashSelection.cursor]])
  if (key === 'Delete') return run('delete', items, selectedIn(items))
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return showMenuAtCursor(items)
  if (key === 'Escape') {
    const had = trashSelection.ids.size > 0
    clearTrashSelection(trashSelection.cursor)
    return had
  }
  if (isMod(event) && key.toLowerCase() === 'a' && !altKey && !shiftKey) {
    selectAllOf(items)
    return true
  }
  return !altKey && onLetter(event, items)
}

/** A space selects, a letter searches in the names. */
function onLetter(event: KeyboardEvent, items: Items): boolean {
  const { key, ctrlKey, shiftKey, metaKey } = event
  if (key === ' ' && !metaKey && (ctrlKey || !isTyping())) {
    if (shiftKey) selectRange(items, trashSelection.cursor)
    else toggle(items, trashSelection.cursor)
    return true
  }
  // The slash moves to the search field, the question mark opens the help.
  if (isMod(event) || [...key].length !== 1 || key === '/' || key === '?') return false
  const index = typeAhead(key, items, trashSelection.cursor)
  if (index !== undefined) selectOnly(items, index)
  return true
}

function run(verb: TrashVerb, items: Items, chosen: readonly (TrashItem | undefined)[]): boolean {
  const known = chosen.filter((item) => item !== undefined)
  if (verb === 'look' && known.length > 0) selectOnly(items, trashSelection.cursor)
  void act(verb, known)
  return known.length > 0
}

function showMenuAtCursor(items: Items): boolean {
  if (items.length === 0) return false
  if (trashSelection.ids.size === 0) selectOnly(items, trashSelection.cursor)
  const box = document.getElementById(trashRowId(trashSelection.cursor))?.getBoundingClientRect()
  const isRtl = document.documentElement.dir === 'rtl'
  void showMenu(items, box ? (isRtl ? box.right - 48 : box.left + 48) : 0, box ? box.bottom - 8 : 0)
  return true
}

async function showMenu(items: Items, x: number, y: number): Promise<void> {
  const chosen = selectedIn(items)
  const choices = verbsFor(chosen).map((id, at) => ({
    id,
    label: i18n._(verbTexts[id].label),
    icon: verbTexts[id].icon,
    isDanger: id === 'delete',
    startsGroup: id === 'delete' && at > 0,
  }))
  if (choices.length === 0) return
  const id = await ask(ContextMenu, { x, y, choices })
  if (id) await act(id as TrashVerb, chosen)
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
