import type { MetadataField } from '#contract/metadata.ts'
import { files, isFolderShown } from '#web/features/files/state/files-state.ts'
import type { Order } from '#web/features/files/state/order.ts'
import { isMosaic } from '#web/features/files/state/view-mode.ts'
import { columnsOf, mayReadMetadata } from '#web/features/files/views/columns.ts'
import { page } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'

type View = NonNullable<typeof files.folder>['view']

/** The order by metadata that the user has chosen for a folder with this view; undefined: the order of the server. */
export function metadataOrder(view: View): Order | undefined {
  const { by = '', asc = true } = view?.metadataOrder ?? session.user?.metadataOrder ?? {}
  return by && mayReadMetadata() ? { by, asc } : undefined
}

/** The metadata that the shown list needs; empty for no list. */
export function wantedFields(): MetadataField[] {
  const { folder } = files
  if (!folder || !isFolderShown() || !mayReadMetadata() || folder.items.length === 0) return []
  const { view } = folder
  const fields = new Set<MetadataField>()
  const order = metadataOrder(view)
  if (order) fields.add(order.by as MetadataField)
  const all = ['taken', 'dimensions', 'owner'] as const
  if (isMosaic(session.user, view)) {
    if (page.EnableThumbs) fields.add('dimensions').add('placeholder')
  } else {
    const columns = columnsOf(session.user, view)
    for (const field of all) if (columns.includes(field)) fields.add(field)
  }
  return [...fields].sort()
}
