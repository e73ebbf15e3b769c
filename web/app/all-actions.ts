import { msg } from '@lingui/core/macro'
import { CircleQuestionMark, LogOut } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { filesActions } from '#web/features/files/menus/files-actions.ts'
import { uploads } from '#web/features/uploads/queue/uploads-state.ts'
import { uploadsActions } from '#web/features/uploads/uploads-actions.ts'
import { ask } from '#web/overlays/ask.ts'
import { whenSettled } from '#web/shared/navigation-guard.ts'
import { page } from '#web/shared/page.ts'
import { signOut } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'

const Help = lazy(async () => (await import('./chunks/later-dialogs.ts')).Help)
const StopUploads = lazy(async () => (await import('./chunks/later-dialogs.ts')).StopUploads)

/** Everything a person can do, of every feature, as far as the first load knows it. */
export const allActions: readonly Action[] = [
  ...filesActions,
  ...uploadsActions,
  {
    id: 'help',
    label: msg`Help`,
    icon: CircleQuestionMark,
    keys: ['F1', '?', 'Shift+?'],
    visible: () => true,
    run: async () => {
      await ask(Help, {})
    },
  },
  {
    id: 'sign-out',
    label: msg`Sign out`,
    icon: LogOut,
    // Who is let in by a proxy or by nobody cannot leave that way.
    visible: () => page.AuthMethod === 'json',
    run: () => whenSettled(leave),
  },
]

/** Signs out; files that are on their way belong to who leaves, and stop with that. */
async function leave(): Promise<void> {
  if (uploads.active && !(await ask(StopUploads, {}))) return
  if (uploads.jobs.length > 0) (await import('./chunks/later-uploads.ts')).clear()
  await signOut()
}
