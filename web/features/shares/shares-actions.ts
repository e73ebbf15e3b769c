import { msg } from '@lingui/core/macro'
import { Share2 } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { ask } from '#web/overlays/ask.ts'
import { mayShare } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'

const ShareDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ShareDialog)

/** The most items that one link can share. */
const most = 100

export const sharesActions: readonly Action[] = [
  {
    id: 'share',
    label: msg`Share`,
    icon: Share2,
    visible: ({ chosen, may }) => mayShare(may) && chosen.length > 0 && chosen.length <= most,
    run: async ({ chosen }) => {
      const items = chosen.map(({ name, path, isDir }) => ({ name, path, isDir }))
      if (items.length > 0) await ask(ShareDialog, { items })
    },
  },
]
