import { msg } from '@lingui/core/macro'
import { ArrowUp, FilePlus, FolderPlus, ListChecks } from 'lucide-react'
import type { Item } from '#contract/resources.ts'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { files, hasAllItems } from '#web/features/files/state/files-state.ts'
import { selectAll } from '#web/features/files/state/selection.ts'
import { ask } from '#web/overlays/ask.ts'
import { href, navigateTo, pageOf, parentOf } from '#web/shared/paths.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { loadLater } from '#web/ui/loading/load-later.ts'

const dialogs = () => import('#web/app/chunks/later-dialogs.ts')

/** The dialog that asks for the name of a new folder or file. Its code is prefetched when the page is idle. */
export const NewItemDialog = lazy(async () => (await dialogs()).NewItemDialog)

/** Opens the page of `item`; in a new tab if `aside` is set. */
export function openItem(item: Pick<Item, 'url'>, aside = false): void {
  if (aside) window.open(href(item.url), '_blank', 'noopener')
  else navigateTo(item.url)
}

/** Whether the user may create items: in the shown folder, or where the dialog asks for a folder. */
function mayCreate({ folder, hasNoFolder, may }: ActionContext): boolean {
  return may.create && (folder !== undefined || hasNoFolder === true)
}

export const filesActions: Action[] = [
  {
    id: 'new-folder',
    label: msg`New folder`,
    icon: FolderPlus,
    keys: ['Shift+n', 'Alt+n'],
    visible: mayCreate,
    run: async ({ folder }) => {
      await ask(NewItemDialog, {
        folder,
        create: async (target) => (await loadLater(dialogs)).createFolder(target),
      })
    },
  },
  {
    id: 'new-file',
    label: msg`New file`,
    icon: FilePlus,
    visible: mayCreate,
    run: async ({ folder }) => {
      await ask(NewItemDialog, {
        folder,
        isFile: true,
        create: async (target) => (await loadLater(dialogs)).createFile(target),
      })
    },
  },
  {
    id: 'parent',
    label: msg`Go to parent folder`,
    icon: ArrowUp,
    keys: ['Backspace', 'Alt+ArrowUp'],
    visible: () => files.path !== '/' && files.path !== '',
    run: () => navigateTo(pageOf(parentOf(files.path))),
  },
  {
    id: 'select-all',
    label: msg`Select all`,
    icon: ListChecks,
    keys: ['Mod+a'],
    visible: ({ folder }) => folder !== undefined,
    run: async () => {
      if (await hasAllItems()) selectAll(files.folder?.items ?? [])
    },
  },
]
