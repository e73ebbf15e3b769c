/**
 * Checks access again when queued work starts. Throws the problem that the request would get if it were made now. Every
 * queue requires a recheck, so that revoked access always stops waiting work.
 */
export type Recheck = () => void

/** For work that depends on no permissions, such as cleaning up and restoring. */
export const unconditional: Recheck = () => {}

/** Whether `recheck` does not throw. */
export function passes(recheck: Recheck): boolean {
  return refusalOf(recheck) === undefined
}

/** Returns what `recheck` throws. Undefined when it does not throw. */
export function refusalOf(recheck: Recheck): unknown {
  try {
    recheck()
    return undefined
  } catch (error) {
    return error
  }
}
