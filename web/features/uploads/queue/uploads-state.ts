import { proxy, ref } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'

export type UploadStatus = 'waiting' | 'sending' | 'paused' | 'done' | 'failed' | 'skipped' | 'cancelled'

/** Why an upload failed: what the server said, or that the file on this side can no longer be read. */
export type UploadFailure = FailureCode | 'file.unreadable'

/** One file on its way, or one folder to be made. */
export interface Job {
  id: number
  /** Decoded path it lands at; a folder's ends with a slash. */
  path: string
  /** Bytes. */
  size: number
  /** Bytes sent so far. */
  sent: number
  /** It goes in pieces: what has arrived of it stays with the server, also when it stops. */
  inPieces: boolean
  status: UploadStatus
  /** Why it failed. */
  code: UploadFailure | undefined
}

/** What somebody chose to upload; without a body it is a folder. */
export interface Wish {
  /** Path below the target folder, `/`-separated. */
  path: string
  body: Blob | undefined
}

/** Why nothing is sent although something waits: a person wants it so, the server is out of reach, nobody is signed in. */
export type Hold = 'paused' | 'offline' | 'signed-out'

/** The queue. Jobs are one plain array that is replaced when a status changes: there may be 10,000 of them. */
export const uploads = proxy({
  jobs: ref([] as Job[]) as readonly Job[],
  /** Bytes of everything in the queue, and of what has been sent. */
  total: 0,
  sent: 0,
  /** How far all of it is, as the person's language writes it; empty while nothing is on its way. */
  percent: '',
  /** Bytes a second; undefined while nothing is known. */
  rate: undefined as number | undefined,
  /** Something is not here yet that shall be. */
  active: false,
  hold: undefined as Hold | undefined,
  /** The panel is small. */
  folded: false,
})

/** Whether a job still has something to do, now or when it goes on. */
export function isOpen({ status }: Job): boolean {
  return status === 'waiting' || status === 'sending' || status === 'paused'
}
