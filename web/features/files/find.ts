import { msg } from '@lingui/core/macro'
import { Search } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { ask } from '#web/overlays/ask.ts'
import { whenSettled } from '#web/shared/navigation-guard.ts'
import { go, nameOf, parentOf, paths } from '#web/shared/paths.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { files, reveal, show } from './state/files-state.ts'

const SearchBox = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).SearchBox)

/** Searches below the shown folder, and opens or selects the result. */
export const findActions: readonly Action[] = [
  {
    id: 'search',
    label: msg`Search`,
    icon: Search,
    keys: ['Mod+f', '/', 'Shift+/'],
    visible: ({ folder, isLink }) => folder !== undefined && !isLink,
    run: ({ folder }) => search(folder ?? '/'),
  },
  {
    id: 'search-around',
    label: msg`Search`,
    icon: Search,
    // No keys: in an open file, the keys search inside the file, in the editor or the browser.
    visible: ({ isLink }) => files.file !== undefined && !isLink,
    run: () => search(parentOf(files.file?.path ?? '/')),
  },
]

async function search(folder: string): Promise<void> {
  const found = await ask(SearchBox, { folder })
  if (found?.reveal) await whenSettled(() => revealPath(found.path))
  else if (found) go(paths.files(found.path))
}

async function revealPath(path: string): Promise<void> {
  const folder = parentOf(path)
  // Loads the folder first, so that the route change needs no second request.
  await show(folder)
  go(paths.files(folder))
  reveal([nameOf(path)])
}
