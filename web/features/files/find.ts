import { msg } from '@lingui/core/macro'
import { FolderSearch, Search } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { ask } from '#web/overlays/ask.ts'
import { afterUnsavedCheck } from '#web/shared/navigation-guard.ts'
import { nameOf, navigateTo, pageOf, parentOf } from '#web/shared/paths.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { files, selectByName, showPath } from './state/files-state.ts'

const SearchDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).SearchDialog)

/** Searches below the shown folder, and opens or selects the result. */
export const findActions: readonly Action[] = [
  {
    id: 'search',
    label: msg`Search`,
    icon: Search,
    keys: ['Mod+f', '/', 'Shift+/'],
    visible: ({ folder }) => folder !== undefined,
    run: ({ folder }) => search(folder ?? '/'),
  },
  {
    id: 'search-around',
    label: msg`Search in this folder`,
    // Another sign than that of the search in a text.
    icon: FolderSearch,
    // No keys: in an open file, the keys search inside the file, in the editor or the browser.
    visible: ({ isShare: isLink }) => files.file !== undefined && !isLink,
    run: () => search(parentOf(files.file?.path ?? '/')),
  },
]

async function search(folder: string): Promise<void> {
  const found = await ask(SearchDialog, { folder })
  if (found?.reveal) await afterUnsavedCheck(() => revealPath(found.path))
  else if (found) navigateTo(pageOf(found.path))
}

async function revealPath(path: string): Promise<void> {
  const folder = parentOf(path)
  // Loads the folder first, so that the route change needs no second request.
  await showPath(folder)
  navigateTo(pageOf(folder))
  selectByName([nameOf(path)])
}
