import type { Clock } from '#src/core/clock.ts'
import type { Statement } from '#src/core/database/database.ts'
import type { ShareRecord } from '#src/state/state.ts'
import { type Link, reserveFile } from './admission.ts'
import type { LinkEvents } from './link-events.ts'
import { type FileRow, fileStatement, type Used } from './link-rows.ts'
import type { createLimitWatch } from './reached-limits.ts'

/** A share, and the address of a visitor of it. */
export interface From {
  share: ShareRecord
  address: string
}

/** A file of a visitor that is being received. */
export interface Receiving {
  /** Maximum number of bytes that it may have. Undefined: no limit of the share. */
  limit: number | undefined
  /** Called at the end. Undefined: it was not received. Further calls do nothing. */
  end(file?: ReceivedFile): void
}

interface ReceivedFile {
  visit: string
  /** Undefined: it is a folder, which is not in the list of the visit. */
  row?: FileRow
  /** Path in the scope of the owner. */
  path: string
  /** The name that the visitor gave. Undefined: none. */
  sender?: string | undefined
}

interface ReceptionTools {
  linkOf(hash: string): Link
  limits: ReturnType<typeof createLimitWatch>
  countLater(from: From, change: Partial<Used>, more: readonly Statement[]): void
}

/** Returns the function that admits files of visitors. */
export function createReception(
  events: Pick<LinkEvents, 'tell'>,
  clock: Clock,
  { limits, linkOf, countLater }: ReceptionTools,
) {
  function note(from: From, { visit, row, path, sender }: ReceivedFile): void {
    const { hash } = from.share
    const noted = row ? [fileStatement(hash, visit, row)] : []
    countLater(from, { files: 1, bytes: row?.size ?? 0 }, noted)
    if (!row) return
    events.tell({ kind: 'received', ...from, time: clock(), path, size: row.size, visit, sender })
  }

  /**
   * Admits a file that a visitor sends.
   *
   * @param sent.size its bytes. Undefined: not known
   * @throws Problem `share.limit`; `request.large` for a size above that of one file.
   */
  return (
    share: ShareRecord,
    { size, address }: { size: number | undefined; address: string },
  ): Receiving => {
    const { hash, conditions = {} } = share
    const from = { share, address }
    const reserve = () => reserveFile(linkOf(hash), conditions, size)
    const { limit, release } = limits.watch(from, linkOf(hash), reserve)
    let hasEnded = false
    return {
      limit,
      end(file) {
        if (hasEnded) return
        hasEnded = true
        release()
        if (file) note(from, file)
      },
    }
  }
}
