import { proxy } from 'valtio'
import type { Received } from '#contract/shares.ts'
import type { FailureCode } from '#web/api/client.ts'

/** A file that the visitor sends. */
export interface SentFile {
  id: number
  /** The path in the share at which it should arrive. */
  path: string
  /** Undefined after a reload of the page: it has arrived before. */
  body: Blob | undefined
  size: number
  /** Bytes sent so far. */
  sent: number
  /** It is sent in pieces, which the server keeps when sending stops. */
  inPieces: boolean
  status: 'waiting' | 'sending' | 'paused' | 'done' | 'failed' | 'cancelled'
  /** Why it failed. */
  code: FailureCode | 'file.unreadable' | undefined
  received: Received | undefined
}

/** Why no file is sent: the visitor has paused it, the server is unreachable, or the link needs its password again. */
export type HoldReason = 'paused' | 'offline' | 'locked'

/** The files of this visit, and the share to which they are sent. */
export const sending = proxy({
  hash: '',
  files: [] as SentFile[],
  hold: undefined as HoldReason | undefined,
})

/** Whether the file is not sent yet. */
export function isUnfinished({ status }: Pick<SentFile, 'status'>): boolean {
  return status === 'waiting' || status === 'sending' || status === 'paused'
}
