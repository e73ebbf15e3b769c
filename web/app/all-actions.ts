import { msg } from '@lingui/core/macro'
import { LogOut } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { filesActions } from '#web/features/files/files-actions.ts'
import { uploadsActions } from '#web/features/uploads/uploads-actions.ts'
import { page } from './page.ts'
import { signOut } from './session.ts'

/** Everything a person can do, of every feature. */
export const allActions: readonly Action[] = [
  ...filesActions,
  ...uploadsActions,
  {
    id: 'sign-out',
    label: msg`Sign out`,
    icon: LogOut,
    // Who is let in by a proxy or by nobody cannot leave that way.
    visible: () => page.AuthMethod === 'json',
    run: signOut,
  },
]
