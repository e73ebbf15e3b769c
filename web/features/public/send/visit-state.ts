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
  status: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled'
  /** Why it failed. */
  code: FailureCode | undefined
  received: Received | undefined
}

/** The files of this visit, and the share to which they are sent. */
export const sending = proxy({ hash: '', files: [] as SentFile[] })

/** Whether the file waits or is being sent. */
export function isUnfinished({ status }: Pick<SentFile, 'status'>): boolean {
  return status === 'waiting' || status === 'sending'
}
