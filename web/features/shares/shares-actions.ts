import { msg } from '@lingui/core/macro'
import { Share2 } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { ask } from '#web/overlays/ask.ts'
import { mayShare } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'

const ShareDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ShareDialog)

export const sharesActions: readonly Action[] = [
  {
    id: 'share',
    label: msg`Share`,
    icon: Share2,
    visible: ({ chosen, may }) => mayShare(may) && chosen.length === 1,
    run: async ({ chosen: [item] }) => {
      if (item) await ask(ShareDialog, { name: item.name, path: item.path, isDir: item.isDir })
    },
  },
]
