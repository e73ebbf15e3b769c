import { msg } from '@lingui/core/macro'
import { Bell } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { ask } from '#web/overlays/ask.ts'
import { mayShare, session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'

const NoticesPanel = lazy(async () => (await import('#web/app/chunks/later-notices.ts')).NoticesPanel)

/** What the user was told about shares. */
export const noticesAction: Action = {
  id: 'notices',
  label: msg`Notices`,
  icon: Bell,
  visible: ({ isShare, may }) => !isShare && session.user !== undefined && mayShare(may),
  run: async () => {
    await ask(NoticesPanel, {})
  },
}
