import { msg } from '@lingui/core/macro'
import { Eye } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { ask } from '#web/overlays/ask.ts'
import { lazy } from '#web/ui/lazy.tsx'

const QuickLookFrame = lazy(async () => (await import('#web/app/chunks/later-quick-look.ts')).QuickLookFrame)

/** A preview of the item at the cursor, above the list. */
export const quickLookAction: Action = {
  id: 'quick-look',
  label: msg`Preview`,
  icon: Eye,
  // Only shown: the list handles this key itself, because elsewhere Space presses the focused button.
  keys: ['Space'],
  visible: ({ folder }) => folder !== undefined && files.folder?.items[selection.cursor] !== undefined,
  run: async () => {
    await ask(QuickLookFrame, {})
  },
}
