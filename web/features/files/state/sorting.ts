import type { Sorting } from '#contract/users.ts'
import { origin } from '#web/api/origin.ts'
import { savePreferences, session } from '#web/shared/session.ts'
import { files, refresh } from './files-state.ts'

let pending = 0

/**
 * Sorts by `by`; a second time turns the order round. The server sorts and remembers it; of a
 * link, it sorts the folders in this order while the link is open. Until the list is here, the new order is shown, and then
 * the order of the list itself: without an answer that is the old one.
 *
 * @throws ApiProblem when the server does not take it.
 */
export async function sortBy(by: Sorting['by']): Promise<void> {
  const sorting = nextSorting(files.sorting ?? files.folder?.sorting ?? session.user?.sorting, by)
  files.sorting = sorting
  pending++
  try {
    if (origin.link) origin.link.sorting = sorting
    else await savePreferences({ sorting })
    await refresh()
  } finally {
    pending--
    if (pending === 0) files.sorting = undefined
  }
}

/** For names `asc: false` is A to Z, so every column starts at its false or small end (contract/compatibility.md#the-page). */
function nextSorting(now: Sorting | undefined, by: Sorting['by']): Sorting {
  if (now?.by === by) return { by, asc: !now.asc }
  return { by, asc: by !== 'name' }
}

/** Whether the column runs from small to large, from A to Z, from old to new. */
export function isAscending({ by, asc }: Sorting): boolean {
  return by === 'name' ? !asc : asc
}
