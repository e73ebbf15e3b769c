import { msg } from '@lingui/core/macro'
import { CircleQuestionMark, LogOut } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { filesActions } from '#web/features/files/menus/files-actions.ts'
import { uploads } from '#web/features/uploads/queue/uploads-state.ts'
import { uploadsActions } from '#web/features/uploads/uploads-actions.ts'
import { ask } from '#web/overlays/ask.ts'
import { afterUnsavedCheck } from '#web/shared/navigation-guard.ts'
import { page } from '#web/shared/page.ts'
import { signOut } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { loadLater } from '#web/ui/loading/load-later.ts'

const HelpDialog = lazy(async () => (await import('./chunks/later-dialogs.ts')).HelpDialog)
const StopUploadsDialog = lazy(async () => (await import('./chunks/later-dialogs.ts')).StopUploadsDialog)

/** All actions of the page and of every feature, as far as the first load needs them. */
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
      await ask(HelpDialog, {})
    },
  },
  {
    id: 'sign-out',
    label: msg`Sign out`,
    icon: LogOut,
    // Without the sign-in form there is no sign-out, as with a proxy or without authentication.
    visible: () => page.AuthMethod === 'json',
    run: () => afterUnsavedCheck(leave),
  },
]

/** Signs out. This stops the running uploads, after the user confirms it. */
async function leave(): Promise<void> {
  if (uploads.isActive && !(await ask(StopUploadsDialog, {}))) return
  if (uploads.jobs.length > 0) (await loadLater(() => import('./chunks/later-uploads.ts'))).clear()
  await signOut()
}
