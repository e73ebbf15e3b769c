import { proxy } from 'valtio'

/** A running deletion of several items. */
export interface Removal {
  done: number
  of: number
  /** Stops the deletion. Remaining items are not deleted. */
  stop(): void
}

/** The running deletions of several items, the oldest first. */
export const removals = proxy({ all: [] as Removal[] })
