import { msg } from '@lingui/core/macro'
import { SquareTerminal } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { page } from '#web/shared/page.ts'
import { toggleShell } from './shell-state.ts'

/** The shell, for those who may run commands where the instance lets them. */
export const shellActions: readonly Action[] = [
  {
    id: 'shell',
    label: msg`Shell`,
    icon: SquareTerminal,
    visible: ({ folder, may }) => folder !== undefined && page.EnableExec && (may.execute || may.admin),
    run: toggleShell,
  },
]
