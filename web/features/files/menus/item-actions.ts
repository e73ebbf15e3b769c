import { msg } from '@lingui/core/macro'
import {
  ClipboardPaste,
  Copy,
  CopyPlus,
  Download,
  Files,
  FolderInput,
  FolderOpen,
  Pencil,
  Scissors,
  Trash2,
} from 'lucide-react'
import type { Item } from '#contract/resources.ts'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { origin } from '#web/api/origin.ts'
import { paste, putOnClipboard } from '#web/features/files/operations/clipboard.ts'
import { deleteChosen } from '#web/features/files/operations/delete-chosen.ts'
import { download, downloadArchive } from '#web/features/files/operations/download.ts'
import { canRenameInList, startRename } from '#web/features/files/operations/inline-rename.ts'
import { renameItem } from '#web/features/files/operations/item-changes.ts'
import { type TransferKind, transfer } from '#web/features/files/operations/transfer.ts'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { files, isAt } from '#web/features/files/state/files-state.ts'
import { ask } from '#web/overlays/ask.ts'
import { setNextCursor } from '#web/shared/lists/last-positions.ts'
import { nameOf, navigateTo, parentOf, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { loadLater } from '#web/ui/loading/load-later.ts'
import { openItem } from './files-actions.ts'

const DestinationDialog = lazy(
  async () => (await import('#web/app/chunks/later-dialogs.ts')).DestinationDialog,
)
const RenameDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).RenameDialog)
const DeleteDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).DeleteDialog)
const RenameManyDialog = lazy(
  async () => (await import('#web/app/chunks/later-rename-many.ts')).RenameManyDialog,
)
const DownloadFormatDialog = lazy(
  async () => (await import('#web/app/chunks/later-dialogs.ts')).DownloadFormatDialog,
)

/** The actions on files and folders, by permission. */
export const itemActions: readonly Action[] = [
  {
    id: 'open',
    label: msg`Open`,
    icon: FolderOpen,
    visible: ({ folder, chosen }) => folder !== undefined && chosen.length === 1,
    run: ({ chosen: [item] }) => {
      if (item) openItem(item)
    },
  },
  {
    id: 'download',
    label: msg`Download`,
    icon: Download,
    keys: ['Mod+s'],
    visible: ({ folder, chosen, may }) => may.download && (folder !== undefined || chosen.length > 0),
    run: downloadChosen,
  },
  {
    id: 'rename',
    label: msg`Rename`,
    icon: Pencil,
    keys: ['F2'],
    visible: ({ chosen, may }) => (may.rename || mayEditShare()) && chosen.length === 1,
    run: async ({ folder, chosen: [item] }) => {
      if (!item) return false
      if (origin.link) return askSharedName(item)
      if (folder !== undefined && canRenameInList(item)) {
        startRename(item)
        return false
      }
      const rename = (name: string) => renameItem(item, name)
      return (await ask(RenameDialog, { name: item.name, isDir: item.isDir, rename })) !== undefined
    },
  },
  {
    id: 'rename-many',
    label: msg`Rename…`,
    icon: Pencil,
    keys: ['F2'],
    visible: ({ folder, chosen, may, isShare }) =>
      folder !== undefined && !isShare && may.rename && chosen.length > 1,
    run: renameChosen,
  },
  {
    id: 'delete',
    label: msg`Delete`,
    icon: Trash2,
    keys: ['Delete'],
    visible: (context) => mayDelete(context) || (mayEditShare() && context.chosen.length > 0),
    run: ({ chosen }) => (origin.link ? deleteInShare(chosen) : deleteChosen(chosen, false)),
  },
  {
    id: 'delete-permanently',
    label: msg`Delete permanently`,
    icon: Trash2,
    keys: ['Shift+Delete'],
    visible: mayDelete,
    run: ({ chosen }) => deleteChosen(chosen, true),
  },
  {
    id: 'move',
    label: msg`Move to…`,
    icon: FolderInput,
    visible: ({ chosen, may }) => may.rename && chosen.length > 0,
    run: (context) => transferChosen('rename', context),
  },
  {
    id: 'copy',
    label: msg`Copy to…`,
    icon: Files,
    visible: ({ chosen, may }) => may.create && chosen.length > 0,
    run: (context) => transferChosen('copy', context),
  },
  {
    id: 'cut',
    label: msg`Cut`,
    icon: Scissors,
    keys: ['Mod+x'],
    visible: ({ folder, chosen, may }) => folder !== undefined && may.rename && chosen.length > 0,
    run: ({ chosen }) => putOnClipboard('rename', chosen),
  },
  {
    id: 'copy-keys',
    label: msg`Copy`,
    icon: Copy,
    keys: ['Mod+c'],
    visible: ({ folder, chosen, may }) => folder !== undefined && may.create && chosen.length > 0,
    run: ({ chosen }) => putOnClipboard('copy', chosen),
  },
  {
    id: 'paste',
    label: msg`Paste`,
    icon: ClipboardPaste,
    keys: ['Mod+v'],
    visible: ({ folder, may }) =>
      folder !== undefined &&
      clipboard.kind !== undefined &&
      (clipboard.kind === 'copy' ? may.create : may.rename),
    run: ({ folder }) => paste(folder ?? '/'),
  },
  {
    id: 'duplicate',
    label: msg`Duplicate`,
    icon: CopyPlus,
    keys: ['Mod+d'],
    visible: ({ folder, chosen, may }) => folder !== undefined && may.create && chosen.length > 0,
    run: async ({ folder, chosen }) => (await transfer('copy', chosen, folder ?? '/')).length > 0,
  },
]

/** Asks for new names of the selected items, and renames them. */
async function renameChosen({ folder = '/', chosen }: ActionContext): Promise<boolean> {
  const names = new Set(chosen.map(({ name }) => name))
  const others = (files.folder?.items ?? []).flatMap(({ name }) => (names.has(name) ? [] : name))
  const renamed = await ask(RenameManyDialog, { folder, items: chosen, others: new Set(others) })
  return renamed !== undefined && renamed.length > 0
}

/**
 * Downloads the selection: one file directly, folders and several items as one archive. Without a selection, downloads
 * the folder.
 */
async function downloadChosen({ folder, chosen }: ActionContext): Promise<boolean> {
  const [only] = chosen
  if (only && chosen.length === 1 && !only.isDir) {
    await download(only.path)
    return true
  }
  const name = chosen.length === 1 && only ? only.name : nameOf(folder ?? '/')
  const algorithm = await ask(DownloadFormatDialog, { name, count: chosen.length })
  // On a page without a folder, the items may be in several ones.
  if (algorithm) await downloadArchive(folder ?? '/', chosen, algorithm)
  return algorithm !== undefined
}

/** Whether the page shows a share whose visitors may change its content. */
function mayEditShare(): boolean {
  return origin.link?.offer?.rights === 'edit'
}

const shareChanges = () => loadLater(() => import('#web/app/chunks/later-receive.ts'))

/** Asks a visitor for the new name of an item in a share. */
async function askSharedName({ name, path, isDir }: Item): Promise<boolean> {
  const rename = async (to: string) => (await shareChanges()).renameShared(path, to)
  return (await ask(RenameDialog, { name, isDir, rename })) !== undefined
}

/** Asks a visitor before items of a share are deleted. Only its owner knows whether there is a trash. */
async function deleteInShare(items: readonly Item[]): Promise<boolean> {
  const names = items.map(({ name }) => name)
  const hasFolders = items.some(({ isDir }) => isDir)
  const kind = await ask(DeleteDialog, { names, hasFolders, keeping: null, isPermanent: false })
  return kind !== undefined && (await shareChanges()).deleteShared(items)
}

function mayDelete({ chosen, may }: ActionContext): boolean {
  return may.delete && chosen.length > 0
}

async function transferChosen(kind: TransferKind, { chosen, may }: ActionContext): Promise<boolean> {
  const [first] = chosen
  if (!first) return false
  const target = await ask(DestinationDialog, {
    kind,
    from: parentOf(first.path),
    excludedPaths:
      kind === 'rename' || chosen.some((item) => item.isDir) ? chosen.map((item) => item.path) : [],
    count: chosen.length,
    mayCreate: may.create,
  })
  if (target === undefined) return false
  const from = files.path
  const done = await transfer(kind, chosen, target)
  const [firstDone] = done
  if (firstDone && isAt(from)) openDestination(target, firstDone.name)
  return firstDone !== undefined
}

/** Opens the destination folder if the user settings say so, with the cursor on the first item. */
function openDestination(target: string, name: string): void {
  if (!session.user?.redirectAfterCopyMove || files.path === target) return
  setNextCursor(target, name)
  navigateTo(paths.files(target))
}
