import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Download, Eye, FolderInput, type LucideIcon, RotateCcw, Trash2 } from 'lucide-react'
import type { TrashItem } from '#contract/history/kept.ts'
import { session } from '#web/shared/session.ts'

/** What can be done with entries of the trash. */
export type TrashVerb = 'look' | 'restore' | 'restore-to' | 'download' | 'delete'

/** The label and the icon of each verb. */
export const verbTexts: Record<TrashVerb, { label: MessageDescriptor; icon: LucideIcon }> = {
  look: { label: msg`Preview`, icon: Eye },
  restore: { label: msg`Restore`, icon: RotateCcw },
  'restore-to': { label: msg`Restore to…`, icon: FolderInput },
  download: { label: msg`Download`, icon: Download },
  delete: { label: msg`Delete permanently`, icon: Trash2 },
}

/** The verbs that the user may use for these entries, in the order of the buttons. */
export function verbsFor(items: readonly TrashItem[]): TrashVerb[] {
  const may = session.user?.perm
  const [only] = items
  if (!may || !only) return []
  const isOne = items.length === 1
  return [
    ...(isOne ? (['look'] as const) : []),
    ...(may.create ? (['restore', 'restore-to'] as const) : []),
    ...(isOne && !only.isDir && may.download ? (['download'] as const) : []),
    ...(may.delete ? (['delete'] as const) : []),
  ]
}
