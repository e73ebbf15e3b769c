import { msg } from '@lingui/core/macro'
import {
  ArrowDown,
  ArrowDownUp,
  ArrowUp,
  CopyCheck,
  LayoutGrid,
  List,
  RefreshCw,
  TextCursorInput,
  Trash2,
  X,
} from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { clearCutItems, clipboard } from '#web/features/files/state/clipboard-state.ts'
import { files, refreshFolder } from '#web/features/files/state/files-state.ts'
import { clearSelection, selection, startMultipleSelection } from '#web/features/files/state/selection.ts'
import { isMosaic, visitorView } from '#web/features/files/state/view-mode.ts'
import { columnsOf, mayReadMetadata } from '#web/features/files/views/columns.ts'
import { saveView } from '#web/features/files/views/folder-view.ts'
import { isAscending } from '#web/features/files/views/sort-order.ts'
import { sortBy } from '#web/features/files/views/sorting.ts'
import { pathField } from '#web/shared/names/path-field-state.ts'
import { navigateTo, paths } from '#web/shared/paths.ts'
import { writeStored } from '#web/shared/preferences.ts'
import { session } from '#web/shared/session.ts'
import { fadeTo } from './view-transition.ts'

const inFolder: Action['visible'] = ({ folder }) => folder !== undefined

/** Actions that change the view of a folder, or go to another page, but change no content. */
export const viewActions: readonly Action[] = [
  {
    id: 'several',
    label: msg`Select multiple`,
    icon: CopyCheck,
    visible: (context) => inFolder(context) && !selection.multiple,
    run: startMultipleSelection,
  },
  {
    id: 'clear',
    label: msg`Clear selection`,
    icon: X,
    keys: ['Escape'],
    visible: () => selection.multiple || selection.names.size > 0 || clipboard.cut.size > 0,
    run: () => {
      clearSelection(selection.cursor)
      clearCutItems()
    },
  },
  {
    id: 'edit-path',
    label: msg`Edit path`,
    icon: TextCursorInput,
    keys: ['Alt+Shift+l'],
    visible: inFolder,
    run: () => {
      pathField.isOpen = true
    },
  },
  {
    id: 'trash',
    label: msg`Trash`,
    icon: Trash2,
    keys: ['Alt+t'],
    visible: ({ isShare }) => !isShare,
    run: () => navigateTo(paths.trash),
  },
  {
    id: 'refresh',
    label: msg`Refresh`,
    icon: RefreshCw,
    visible: inFolder,
    run: refreshFolder,
  },
  {
    id: 'sort-name',
    label: msg`Sort by name`,
    icon: ArrowDownUp,
    visible: inFolder,
    run: () => sortBy('name'),
  },
  {
    id: 'sort-size',
    label: msg`Sort by size`,
    icon: ArrowDownUp,
    visible: inFolder,
    run: () => sortBy('size'),
  },
  {
    id: 'sort-modified',
    label: msg`Sort by last modified`,
    icon: ArrowDownUp,
    visible: inFolder,
    run: () => sortBy('modified'),
  },
  {
    id: 'sort-taken',
    label: msg`Sort by date taken`,
    icon: ArrowDownUp,
    visible: (context) => inFolder(context) && showsTaken(),
    run: () => sortBy('taken'),
  },
  {
    id: 'list',
    label: msg`Show as list`,
    icon: List,
    keys: ['Alt+v'],
    visible: (context) => inFolder(context) && isMosaic(session.user, files.folder?.view),
    run: () => setView('list'),
  },
  {
    id: 'mosaic',
    label: msg`Show as tiles`,
    icon: LayoutGrid,
    keys: ['Alt+v'],
    visible: (context) => inFolder(context) && !isMosaic(session.user, files.folder?.view),
    run: () => setView('mosaic'),
  },
]

/** Whether the date taken matters here: in the mosaic, or in a column. */
function showsTaken(): boolean {
  const { user } = session
  const view = files.folder?.view
  return mayReadMetadata() && (isMosaic(user, view) || columnsOf(user, view).includes('taken'))
}

/** The arrow icon for the column by which the folder is sorted; undefined for every other action. */
export function sortIcon({ id }: Action): Action['icon'] | undefined {
  const sorting = files.sorting ?? files.folder?.sorting
  if (!sorting || id !== `sort-${sorting.by}`) return undefined
  return isAscending(sorting) ? ArrowUp : ArrowDown
}

/** Saves the view mode. @throws ApiProblem when the server rejects it. */
function setView(mode: 'list' | 'mosaic'): Promise<void> {
  return fadeTo(async () => {
    if (session.user) return saveView({ viewMode: mode })
    visitorView.mode = mode
    writeStored('viewMode', mode)
  })
}
