/**
 * Checks again, when queued work begins, what its call was allowed by. Throws the refusal that the call would get if it
 * were made now. Every queue requires one, so that revoking access always reaches the work that waits.
 */
export type Recheck = () => void

/** For work that depends on nobody's rights: what the server does for itself, cleaning up and putting things back. */
export const unconditional: Recheck = () => {}

/** Whether `recheck` refuses nothing. */
export function holds(recheck: Recheck): boolean {
  return refusalOf(recheck) === undefined
}

/** What `recheck` throws; undefined when it throws nothing. */
export function refusalOf(recheck: Recheck): unknown {
  try {
    recheck()
    return undefined
  } catch (error) {
    return error
  }
}
