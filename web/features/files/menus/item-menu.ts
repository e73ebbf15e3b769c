import { i18n } from '@lingui/core'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { availableActions, runAction } from '#web/actions/registry.ts'
import { currentContext } from '#web/features/files/state/action-context.ts'
import { ask } from '#web/overlays/ask.ts'
import { lazy } from '#web/ui/lazy.tsx'
import type { MenuChoice } from '#web/ui/menus/menu.tsx'
import { sortIcon } from './view-actions.ts'

const ContextMenu = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ContextMenu)

/** The actions of items, in groups. */
const forItems = [
  ['open', 'play', 'enqueue', 'quick-look', 'download', 'share'],
  ['cut', 'copy-keys', 'duplicate'],
  ['move', 'copy', 'rename', 'rename-many'],
  ['info', 'star', 'unstar'],
  ['delete'],
]
const forFolder = [
  ['undo', 'redo'],
  ['new-folder', 'new-file', 'upload-files', 'upload-folder', 'paste'],
  ['select-all', 'several'],
  ['sort-name', 'sort-size', 'sort-modified', 'sort-taken', 'list', 'mosaic'],
  ['shell', 'download', 'info', 'edit-path', 'refresh'],
]

interface Choices {
  choices: MenuChoice[]
  /** The action of a choice. */
  find(id: string): Action | undefined
}

/** The menu of the selection, or of the folder without a selection, in groups. Delete is the last one, and red. */
export function itemChoices(context: ActionContext): Choices {
  return choicesOf(context.chosen.length > 0 ? forItems : forFolder, context)
}

/** The actions with these ids that are available now, as choices of a menu with a line between the groups. */
export function choicesOf(groups: readonly (readonly string[])[], context: ActionContext): Choices {
  const available = groups.map((ids) => availableActions(ids, context)).filter((group) => group.length > 0)
  const actions = available.flat()
  const choices = available.flatMap((group, index) =>
    group.map((action, n) => ({
      id: action.id,
      label: i18n._(action.label),
      icon: sortIcon(action) ?? action.icon,
      keys: action.keys?.[0],
      startsGroup: n === 0 && index > 0,
      isDanger: action.id === 'delete' || action.id === 'delete-permanently',
    })),
  )
  return { choices, find: (id) => actions.find((one) => one.id === id) }
}

/** Opens the menu of the selection, or of the folder without a selection, at a point of the window. */
export async function showItemMenu(x: number, y: number): Promise<void> {
  const context = currentContext()
  const { choices, find } = itemChoices(context)
  if (choices.length === 0) return
  const action = find((await ask(ContextMenu, { x, y, choices })) ?? '')
  if (action) await runAction(action, context)
}
