import { msg } from '@lingui/core/macro'
import { CircleQuestionMark, LogOut } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { filesActions } from '#web/features/files/files-actions.ts'
import { uploadsActions } from '#web/features/uploads/uploads-actions.ts'
import { uploads } from '#web/features/uploads/uploads-state.ts'
import { ask } from '#web/overlays/ask.ts'
import { later } from '#web/ui/later.tsx'
import { whenSettled } from './leaving.ts'
import { page } from './page.ts'
import { signOut } from './session.ts'

const Help = later(async () => (await import('./later-dialogs.ts')).Help)
const StopUploads = later(async () => (await import('./later-dialogs.ts')).StopUploads)

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
  if (uploads.jobs.length > 0) (await import('./later-uploads.ts')).clear()
  await signOut()
}
