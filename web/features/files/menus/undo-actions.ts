import { msg } from '@lingui/core/macro'
import { Redo2, Undo2 } from 'lucide-react'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { changeHistory, redoChange, undoChange } from '#web/shared/undo/history.ts'

/** Not on pages without files, and not beside a text, whose editor has an undo of its own. */
function isPossible({ isShare, hasNoFolder }: ActionContext): boolean {
  return !isShare && !hasNoFolder && files.file?.kind !== 'editor'
}

/** Undoing the last change of this tab, and doing it again. */
export const undoActions: readonly Action[] = [
  {
    id: 'undo',
    label: msg`Undo`,
    icon: Undo2,
    keys: ['Mod+z'],
    visible: (context) => isPossible(context) && changeHistory.undo.length > 0,
    run: undoChange,
  },
  {
    id: 'redo',
    label: msg`Redo`,
    icon: Redo2,
    keys: ['Mod+Shift+z', 'Mod+y'],
    visible: (context) => isPossible(context) && changeHistory.redo.length > 0,
    run: redoChange,
  },
]
