import { msg } from '@lingui/core/macro'
import { SquareTerminal } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { page } from '#web/shared/page.ts'
import { toggleShell } from './shell-state.ts'

/** The shell, for users who may run commands, if the instance allows commands. */
export const shellActions: readonly Action[] = [
  {
    id: 'shell',
    label: msg`Shell`,
    icon: SquareTerminal,
    visible: ({ folder, may }) => folder !== undefined && page.EnableExec && (may.execute || may.admin),
    run: toggleShell,
  },
]
