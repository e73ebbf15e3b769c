import { watch } from 'node:fs'
import { basename } from 'node:path'
import { decodeName } from '#src/files/paths/byte-names.ts'
import { stat } from '#src/files/paths/disk.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { isReserved } from '#src/files/paths/user-path.ts'

/** The names of a folder that have changed; undefined: too many, or unknown. */
export type ChangedNames = ReadonlySet<string> | undefined

/** What has happened in a folder since it was last inspected. `ended`: it was deleted, moved, replaced or unmounted. */
export type Inspection = 'nothing' | 'ended' | { names: ChangedNames }

/** One folder that the system watches. */
export interface Watch {
  readonly real: string
  /** Whether something has happened since the last inspection. */
  readonly isDirty: boolean
  /** Whether this is the watch of the folder, and the folder is still at its path as far as the system has reported. */
  isFor(folder: OpenPath): boolean
  /**
   * Reports what has happened, and checks that the folder is still at its path.
   *
   * @param reportsMissed whether to compare the time of the last change, because the system drops events under load
   */
  inspect(reportsMissed: boolean): Promise<Inspection>
  close(): void
}

// Above this, checking each name costs more than reading the folder again.
const mostNames = 500

/**
 * Watches an open folder, which may be closed after the call.
 *
 * @throws the error of the system, such as ENOSPC when its table of watches is full.
 */
export function startWatch({ real, address, stats: { ino, dev } }: OpenPath, onActivity: () => void): Watch {
  let names: Set<string> | undefined = new Set()
  let isDirty = false
  let isMoved = false
  let lastEventAt = Date.now()
  let reportedMtime = 0

  function activate(): void {
    if (isDirty) return
    isDirty = true
    onActivity()
  }

  function addName(name: string | undefined): void {
    if (name === undefined || (names && names.size >= mostNames)) names = undefined
    else names?.add(name)
  }

  // The name that the system reports for the folder itself, when it is moved or deleted, or when its mode or time is
  // changed, which cannot be told apart. An entry may have this name too. In all cases the folder is opened again.
  const self = basename(address)
  // Through the descriptor: a link that has replaced the folder is not followed.
  const watcher = watch(address, { persistent: false, encoding: 'buffer' }, (kind, raw: Buffer | null) => {
    lastEventAt = Date.now()
    const name = raw === null ? undefined : decodeName(raw)
    if (name !== undefined && isReserved(name)) return
    if (kind === 'rename' && name === self) isMoved = true
    else addName(name)
    activate()
  })
  watcher.on('error', () => {
    isMoved = true
    activate()
  })

  return {
    real,
    get isDirty() {
      return isDirty
    },
    isFor: ({ stats }) => !isMoved && stats.ino === ino && stats.dev === dev,
    async inspect(reportsMissed) {
      const [found, wasDirty] = [names, isDirty]
      names = new Set()
      isDirty = false
      const now = isMoved ? undefined : await stat(real).catch(() => undefined)
      // Names from a folder that is elsewhere now must not be reported with its old path.
      if (isMoved || now?.ino !== ino || now.dev !== dev) return 'ended'
      if (wasDirty) return { names: found }
      const isMissed = Math.floor(now.mtimeMs) > lastEventAt && now.mtimeMs !== reportedMtime
      if (!reportsMissed || !isMissed) return 'nothing'
      reportedMtime = now.mtimeMs
      return { names: undefined }
    },
    close: () => watcher.close(),
  }
}
