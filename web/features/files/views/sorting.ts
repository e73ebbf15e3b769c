import { i18n } from '@lingui/core'
import type { FolderView } from '#contract/users.ts'
import { origin } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { files, refreshFolder } from '#web/features/files/state/files-state.ts'
import type { Order } from '#web/features/files/state/order.ts'
import { session } from '#web/shared/session.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { saveView } from './folder-view.ts'

let pending = 0

/**
 * Sorts by `by`; a second call reverses the order. The server stores the order and sorts, except by metadata; for a
 * share, the order holds while the share is open. Shows the new order until the list arrives. After an error, shows the
 * old order again.
 *
 * @throws ApiProblem when the server rejects it.
 */
export async function sortBy(by: Order['by']): Promise<void> {
  const sorting = nextSorting(files.sorting ?? files.folder?.sorting ?? session.user?.sorting, by)
  files.sorting = sorting
  pending++
  try {
    const change = changeTo(sorting)
    if (!origin.link) await saveView(change)
    else if (change.sorting) origin.link.sorting = change.sorting
    await refreshFolder()
  } finally {
    pending--
    if (pending === 0) files.sorting = undefined
  }
}

/** Sorts by a column whose header was pressed, and shows why if that fails. */
export async function sortByHead(by: Order['by']): Promise<void> {
  await sortBy(by).catch((error: unknown) => showToast('error', i18n._(problemText(codeOf(error)))))
}

/** Orders that start with `asc: false`. For names, that is A to Z; for times, the newest first. */
const startDescending: readonly Order['by'][] = ['name', 'modified', 'taken']

/** The order after a click on a column: its first order, or the other one (contract/compatibility.md#the-page). */
function nextSorting(now: Order | undefined, by: Order['by']): Order {
  return { by, asc: now?.by === by ? !now.asc : !startDescending.includes(by) }
}

/** What is stored for an order. An order of the server ends one by metadata. */
function changeTo({ by, asc }: Order): FolderView {
  if (by === 'name' || by === 'size' || by === 'modified') {
    const { metadataOrder = session.user?.metadataOrder } = files.folder?.view ?? {}
    return { sorting: { by, asc }, ...(metadataOrder?.by && { metadataOrder: { by: '', asc: true } }) }
  }
  return { metadataOrder: { by, asc } }
}
