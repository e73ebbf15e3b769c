import type { Clamd } from '#src/core/clamd/clamd.ts'
import type { Examiner } from '#src/entries/examine.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import { createExaminer } from './examiner.ts'
import type { HeldFile } from './held-record.ts'
import { createHolding, type HoldingOptions } from './holding.ts'
import { createScanning } from './scanning.ts'

/** What the scanner has found in a file. */
export interface Finding {
  signature: string
  /** Where the file was to go, relative to the served folder. */
  path: string
  size: number
  sha256: string
  /** The user who has sent it, or the owner of the share. */
  userId: number
  /** The id of the share through which it came. Undefined: none. */
  share: string | undefined
  /** The address of the client; empty: not known. */
  address: string
}

/** What receiving files needs. */
export interface ReceivingOptions extends HoldingOptions {
  /** Undefined: nothing is examined. */
  clamd: Clamd | undefined
  /** Whether the files of users are examined, not only those of visitors. */
  coversUsers: boolean
  /** Called when the scanner has found something. Must not throw. */
  onFound(finding: Finding): void
}

/** Creates what examines the files that arrive, and holds them back. It exists before the services that write files. */
export function createReceiving(options: ReceivingOptions) {
  const { clamd, coversUsers, root, onFound, log } = options
  const holding = createHolding(options)
  const scanning = clamd && createScanning(clamd)
  const listeners = { onHeld: () => {}, onAnswer: () => {} }

  const examiner: Examiner | undefined =
    scanning &&
    createExaminer({
      scanning,
      coversUsers,
      holding,
      onHeld(held) {
        const { id, state, reason, share } = held
        log.warn({ file: id, state, reason, share }, 'a received file is held back')
        listeners.onHeld()
      },
      onFound({ file: { actor, real }, reason, ...facts }) {
        const { user, quotaOwner, change } = actor
        const from = { userId: user.id, share: quotaOwner.share, address: change.origin?.address ?? '' }
        onFound({ signature: reason, path: servedPath(root, real), ...facts, ...from })
      },
      onAnswer: () => listeners.onAnswer(),
    })

  return {
    ...options,
    /** Examines the contents that arrive. Undefined: nothing is examined. */
    examiner,
    holding,
    scanning,
    /** Called when one more file is held, and when the scanner has passed a file. */
    listeners,
  }
}

export type Receiving = ReturnType<typeof createReceiving>

/** The finding in a held file. */
export function findingOf({ reason, path, size, sha256, userId, share, address }: HeldFile): Finding {
  return { signature: reason, path, size, sha256, userId, share, address }
}
