import { proxy } from 'valtio'

/** A deletion of several items that is under way. */
interface Removal {
  done: number
  of: number
  /** What has not been deleted yet stays. */
  stop(): void
}

/** How far the latest deletion of several items is; undefined: none is under way. */
export const removal = proxy({ now: undefined as Removal | undefined })
