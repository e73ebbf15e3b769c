import { i18n } from '@lingui/core'
import type { TrashItem } from '#contract/history/kept.ts'
import { ask } from '#web/overlays/ask.ts'
import { createRowKeys } from '#web/shared/rows/row-keys.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { act } from './trash-actions.ts'
import { trashRowId } from './trash-row.tsx'
import { trashRows } from './trash-selection.ts'
import { type TrashVerb, verbsFor, verbTexts } from './trash-verbs.ts'

const ContextMenu = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ContextMenu)

/** The keys and clicks of the trash. */
export const { onClick, onContextMenu, onDoubleClick, onKeyDown, onPointerDown } = createRowKeys({
  selection: trashRows,
  rowId: trashRowId,
  open: (item: TrashItem) => void act('look', [item]),
  remove: (items) => void act('delete', items),
  showMenu: (items, x, y) => void showMenu(items, x, y),
  tapOpens: false,
})

async function showMenu(chosen: readonly TrashItem[], x: number, y: number): Promise<void> {
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
