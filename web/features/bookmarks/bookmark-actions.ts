import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { FolderOpen, FolderSearch } from 'lucide-react'
import type { Bookmark } from '#contract/history/bookmarks.ts'
import type { Item } from '#contract/resources.ts'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { availableActions, runAction } from '#web/actions/registry.ts'
import { ask } from '#web/overlays/ask.ts'
import { contextWithoutFiles } from '#web/shared/page-keys.ts'
import { nameOf, navigateTo, parentOf, paths } from '#web/shared/paths.ts'
import { createRowKeys } from '#web/shared/rows/row-keys.ts'
import { session } from '#web/shared/session.ts'
import { showItems } from '#web/shared/undo/show-items.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { bookmarkRows } from './bookmark-selection.ts'
import { bookmarks } from './bookmarks-state.ts'

const ContextMenu = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ContextMenu)

/** The element id for `aria-activedescendant`. */
export const bookmarkRowId = (index: number) => `bookmark-${index}`

/** The address of the page of an entry. */
export function addressOfBookmark({ path, isDir }: Pick<Bookmark, 'path' | 'isDir'>): string {
  return paths.files(isDir && path !== '/' ? `${path}/` : path)
}

function openBookmark(item: Bookmark): void {
  if (item.exists) navigateTo(addressOfBookmark(item))
}

/** Shows an entry in its folder. */
export function showInFolder({ path }: Pick<Bookmark, 'path'>): void {
  showItems({ folder: parentOf(path), names: [nameOf(path)] })
}

/** An entry as lists of folders know it. */
function itemOf({ name, path, isDir, type, size, modified }: Bookmark, index: number): Item {
  const [extension = ''] = isDir ? [] : (/\.[^.]*$/.exec(name) ?? [])
  return {
    ...{ name, path, isDir, type, size, modified, extension, index, mode: 0, isSymlink: false },
    url: addressOfBookmark({ path, isDir }),
  }
}

/** The context of actions on entries, without those that are gone. */
function contextOf(chosen: readonly Bookmark[]): ActionContext {
  const there = chosen.filter(({ exists }) => exists)
  return { ...contextWithoutFiles(), chosen: there.map(itemOf) }
}

/** The context of shortcuts, which act on the selected entries. The top folder can only be opened. */
export function bookmarksContext(): ActionContext {
  return contextOf(bookmarkRows.selectedIn(bookmarks.items).filter(({ path }) => path !== '/'))
}

/** The actions of the registry that are offered for entries, in groups. */
const groups = [['download', 'share'], ['move', 'copy', 'rename'], ['info', 'star', 'unstar'], ['delete']]

const opening: readonly Action[] = [
  {
    id: 'open-bookmark',
    label: msg`Open`,
    icon: FolderOpen,
    visible: () => true,
    run: ({ chosen: [item] }) => item && navigateTo(item.url),
  },
  {
    id: 'show-in-folder',
    label: msg`Show in folder`,
    icon: FolderSearch,
    visible: () => true,
    run: ({ chosen: [item] }) => item && showInFolder(item),
  },
]

interface Offered {
  context: ActionContext
  /** The actions in groups. */
  groups: readonly (readonly Action[])[]
}

/** What can be done with entries. Those that are gone can only be removed from the starred ones. */
export function offeredFor(chosen: readonly Bookmark[]): Offered {
  const context = contextOf(chosen)
  const { length } = context.chosen
  if (length === 0) {
    const gone = { ...context, chosen: chosen.map(itemOf) }
    return { context: gone, groups: [availableActions(['unstar'], gone)] }
  }
  // The top folder has no folder around it, and nothing in it is done to all of it.
  if (context.chosen.some(({ path }) => path === '/')) return { context, groups: [opening.slice(0, 1)] }
  const further = groups.map((ids) =>
    // The properties are those of one item.
    availableActions(ids, context).filter(({ id }) => length === 1 || id !== 'info'),
  )
  return { context, groups: [length === 1 ? opening : [], ...further].filter((group) => group.length > 0) }
}

async function showMenu(chosen: readonly Bookmark[], x: number, y: number): Promise<void> {
  const { context, groups: shown } = offeredFor(chosen)
  const choices = shown.flatMap((group, index) =>
    group.map(({ id, label, icon, keys }, n) => ({
      ...{ id, icon, label: i18n._(label), keys: keys?.[0] },
      startsGroup: n === 0 && index > 0,
      isDanger: id === 'delete',
    })),
  )
  if (choices.length === 0) return
  const id = await ask(ContextMenu, { x, y, choices })
  const action = shown.flat().find((one) => one.id === id)
  if (action) await runAction(action, context)
}

/** The keys and clicks of the list. */
export const bookmarkKeys = createRowKeys({
  selection: bookmarkRows,
  rowId: bookmarkRowId,
  open: openBookmark,
  showMenu: (items: readonly Bookmark[], x, y) => void showMenu(items, x, y),
  tapOpens: true,
  clickOpens: () => session.user?.singleClick ?? false,
})
