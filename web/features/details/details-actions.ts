import { msg } from '@lingui/core/macro'
import { Info as InfoSign } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { ask } from '#web/overlays/ask.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { toggleDetails } from './toggle-details.ts'

const InfoDialog = lazy(async () => (await import('#web/app/chunks/later-details.ts')).InfoDialog)

/** The panel beside a list; for an open file, a dialog. */
export const detailsActions: readonly Action[] = [
  {
    id: 'info',
    label: msg`Info`,
    icon: InfoSign,
    keys: ['Mod+i', 'i'],
    visible: ({ folder, chosen, isShare }) => !isShare && (folder !== undefined || chosen.length > 0),
    run: async ({ folder, chosen: [file] }) => {
      if (folder !== undefined) toggleDetails()
      else if (file) await ask(InfoDialog, { file })
    },
  },
]
