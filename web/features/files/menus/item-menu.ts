import { i18n } from '@lingui/core'
import { availableActions, runAction } from '#web/actions/registry.ts'
import { currentContext } from '#web/features/files/state/action-context.ts'
import { ask } from '#web/overlays/ask.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { sortIcon } from './view-actions.ts'

const ContextMenu = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ContextMenu)

const forItems = 'open download share cut copy-keys move copy duplicate rename info delete'.split(' ')
const forFolder = [
  ...'undo redo new-folder new-file upload-files upload-folder paste select-all several'.split(' '),
  ...'sort-name sort-size sort-modified list mosaic shell download info refresh'.split(' '),
]

/** Opens the menu of the selection, or of the folder without a selection, at a point of the window. */
export async function showItemMenu(x: number, y: number): Promise<void> {
  const context = currentContext()
  const actions = availableActions(context.chosen.length > 0 ? forItems : forFolder, context)
  if (actions.length === 0) return
  const choices = actions.map((action) => ({
    id: action.id,
    label: i18n._(action.label),
    icon: sortIcon(action) ?? action.icon,
    keys: action.keys?.[0],
  }))
  const id = await ask(ContextMenu, { x, y, choices })
  const action = actions.find((one) => one.id === id)
  if (action) await runAction(action, context)
}
