import type { Received } from '#contract/shares.ts'
import type { Share } from '#web/api/origin.ts'
import { readStored, writeStored } from '#web/shared/preferences.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'

/** A visit of a share in this tab: its ticket, and the files that have arrived. */
interface Visit {
  ticket: string
  files: readonly Received[]
}

function allVisits(): Record<string, Visit> {
  try {
    return JSON.parse(readStored('visits') ?? '{}')
  } catch {
    return {} // another program has written it
  }
}

/** The visit of the share `hash` before a reload of the page. */
export function readVisit(hash: string): Visit {
  return ownEntry(allVisits(), hash) ?? { ticket: '', files: [] }
}

/** Keeps the visit for a reload of the page. Another ticket begins another visit. */
export function keepVisit({ hash, visit: ticket }: Share, files?: readonly Received[]): void {
  const before = readVisit(hash)
  const kept = before.ticket === ticket ? before.files : []
  writeStored('visits', JSON.stringify({ ...allVisits(), [hash]: { ticket, files: files ?? kept } }))
}
