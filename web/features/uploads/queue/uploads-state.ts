import { proxy, ref } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'

export type UploadStatus = 'waiting' | 'sending' | 'paused' | 'done' | 'failed' | 'skipped' | 'cancelled'

/** Why an upload failed: the server's error, or a local file that can no longer be read. */
export type UploadFailure = FailureCode | 'file.unreadable'

/** A folder that the user chose or dropped, with everything in it. */
export interface UploadGroup {
  id: number
  /** The decoded target path, with a closing slash. */
  path: string
}

/** One file to upload, or one folder to create. */
export interface UploadJob {
  id: number
  /** The decoded target path; a folder's path ends with a slash. */
  path: string
  /** Undefined: chosen by itself. */
  group: UploadGroup | undefined
  /** Bytes. */
  size: number
  /** Bytes sent so far. */
  sent: number
  /** The upload is sent in pieces. The server keeps them when it stops. */
  inPieces: boolean
  status: UploadStatus
  /** Why it failed. */
  code: UploadFailure | undefined
}

/** Why the queue is on hold: the user paused it, the server is unreachable, or the session ended. */
export type HoldReason = 'paused' | 'offline' | 'signed-out'

/** The queue. `jobs` is one plain array that is replaced when a status changes, because it may hold 10,000 jobs. */
export const uploads = proxy({
  jobs: ref([] as UploadJob[]) as readonly UploadJob[],
  /** Total bytes of the queue, and bytes sent. */
  total: 0,
  sent: 0,
  /**
   * Total progress for the title of the page, as a percentage in the user's language; empty when no upload is running. In
   * steps of ten, because screen readers announce a new title.
   */
  percent: '',
  /** Bytes per second; undefined while unknown. */
  rate: undefined as number | undefined,
  /** Some job is unfinished. */
  isActive: false,
  hold: undefined as HoldReason | undefined,
  /** The panel is minimized. */
  isMinimized: false,
})

/** Whether a job is unfinished, including paused jobs. */
export function isUnfinished({ status }: UploadJob): boolean {
  return status === 'waiting' || status === 'sending' || status === 'paused'
}
