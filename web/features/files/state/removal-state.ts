import { proxy } from 'valtio'

/** A running deletion of several items. */
export interface RunningDeletion {
  done: number
  total: number
  /** Stops the deletion. Remaining items are not deleted. */
  stop(): void
}

/** The running deletions of several items, the oldest first. */
export const runningDeletions = proxy({ all: [] as RunningDeletion[] })
