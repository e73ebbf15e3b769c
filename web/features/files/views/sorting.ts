import type { Sorting } from '#contract/users.ts'
import { origin } from '#web/api/origin.ts'
import { files, refreshFolder } from '#web/features/files/state/files-state.ts'
import { session } from '#web/shared/session.ts'
import { saveView } from './folder-view.ts'

let pending = 0

/**
 * Sorts by `by`; a second call reverses the order. The server sorts and stores the order; for a share, the order holds
 * while the share is open. Shows the new order until the list arrives. After an error, shows the old order again.
 *
 * @throws ApiProblem when the server rejects it.
 */
export async function sortBy(by: Sorting['by']): Promise<void> {
  const sorting = nextSorting(files.sorting ?? files.folder?.sorting ?? session.user?.sorting, by)
  files.sorting = sorting
  pending++
  try {
    if (origin.link) origin.link.sorting = sorting
    else await saveView({ sorting })
    await refreshFolder()
  } finally {
    pending--
    if (pending === 0) files.sorting = undefined
  }
}

/**
 * For names, `asc: false` is A to Z. So every column starts with its ascending order
 * (contract/compatibility.md#the-page).
 */
function nextSorting(now: Sorting | undefined, by: Sorting['by']): Sorting {
  if (now?.by === by) return { by, asc: !now.asc }
  return { by, asc: by !== 'name' }
}
