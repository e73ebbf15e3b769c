import { proxy } from 'valtio'

/** A deletion of several items that is under way. */
export interface Removal {
  done: number
  of: number
  /** What has not been deleted yet stays. */
  stop(): void
}

/** The deletions of several items that are under way, the oldest first. */
export const removals = proxy({ all: [] as Removal[] })
