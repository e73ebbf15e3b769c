import { proxy, ref } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'

export type UploadStatus = 'waiting' | 'sending' | 'done' | 'failed' | 'skipped' | 'cancelled'

/** One file on its way, or one folder to be made. */
export interface Job {
  id: number
  /** Decoded path it lands at; a folder's ends with a slash. */
  path: string
  /** Bytes. */
  size: number
  /** Bytes sent so far. */
  sent: number
  status: UploadStatus
  /** Why it failed. */
  code: FailureCode | undefined
}

/** What somebody chose to upload; without a body it is a folder. */
export interface Wish {
  /** Path below the target folder, `/`-separated. */
  path: string
  body: Blob | undefined
}

/** The queue. Jobs are one plain array that is replaced when a status changes: there may be 10,000 of them. */
export const uploads = proxy({
  jobs: ref([] as Job[]) as readonly Job[],
  /** Bytes of everything in the queue, and of what has been sent. */
  total: 0,
  sent: 0,
  /** Bytes a second; undefined while nothing is known. */
  rate: undefined as number | undefined,
  /** Something waits or is being sent. */
  active: false,
  /** The panel is small. */
  folded: false,
})
