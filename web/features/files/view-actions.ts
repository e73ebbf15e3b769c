import { msg } from '@lingui/core/macro'
import { ArrowDownUp, CopyCheck, RefreshCw, X } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { clipboard, letGoOfCut } from './clipboard-state.ts'
import { refresh, sortBy } from './files-state.ts'
import { clearSelection, selection, selectSeveral } from './selection.ts'

const inFolder: Action['visible'] = ({ folder }) => folder !== undefined

/** What changes the sight of a folder and nothing in it. */
export const viewActions: readonly Action[] = [
  {
    id: 'several',
    label: msg`Select several`,
    icon: CopyCheck,
    visible: (context) => inFolder(context) && !selection.multiple,
    run: selectSeveral,
  },
  {
    id: 'clear',
    label: msg`Clear selection`,
    icon: X,
    keys: ['Escape'],
    visible: () => selection.multiple || selection.names.size > 0 || clipboard.cut.size > 0,
    run: () => {
      clearSelection(selection.cursor)
      letGoOfCut()
    },
  },
  {
    id: 'refresh',
    label: msg`Refresh`,
    icon: RefreshCw,
    visible: inFolder,
    run: refresh,
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
]
