import type { HeldView } from '#contract/history/held.ts'
import { isHeldId } from '#src/files/kept/kept-record.ts'

/** A file that was received and is not visible. Its content is in the store for kept items of its disk. */
export interface HeldFile {
  id: string
  /**
   * `infected`: the scanner has found something. `waiting`: it was not examined yet, or could not be put at its place.
   * `unscannable`: the scanner does not examine it.
   */
  state: HeldView['state']
  /** The name of the signature, or why the file is held. */
  reason: string
  /** Where it goes, relative to the served folder. */
  path: string
  /** The key of its store. */
  place: string
  size: number
  /** In hexadecimal digits; empty: not known. */
  sha256: string
  /** When it was received, in milliseconds since 1970. */
  time: number
  event: 'upload' | 'save'
  /** The user who has sent it, or the owner of the share. */
  userId: number
  /** The id of the share through which it came; missing: none. */
  share?: string | undefined
  /** The address of the client; empty: not known. */
  address: string
  /** The file that it replaces if that is still there, unchanged; missing: none. */
  replaces?: { entry: string; etag: string } | undefined
  /** How often the scanner has failed on it while it answered otherwise. */
  tries: number
  /** Whether it has passed the scanner, so that it only has to get its place. */
  hasPassed?: boolean | undefined
}

const states: readonly unknown[] = ['infected', 'waiting', 'unscannable']

/** Whether a value read from disk is a held file. */
export function isHeldFile(value: unknown): value is HeldFile {
  const held = value as Partial<HeldFile> | null
  const texts = [held?.reason, held?.path, held?.place, held?.sha256, held?.address]
  const numbers = [held?.size, held?.time, held?.userId, held?.tries]
  return (
    typeof held?.id === 'string' &&
    isHeldId(held.id) &&
    states.includes(held.state) &&
    (held.event === 'upload' || held.event === 'save') &&
    texts.every((text) => typeof text === 'string') &&
    held.path?.startsWith('/') === true &&
    numbers.every(Number.isSafeInteger) &&
    (held.share === undefined || typeof held.share === 'string') &&
    (held.replaces === undefined || typeof held.replaces?.etag === 'string')
  )
}
