import type { ReactNode } from 'react'
import { fold } from '#web/ui/format/fold.ts'
import { matchScore } from './fuzzy.ts'

/** One line of the palette. */
export interface PaletteEntry {
  id: string
  label: string
  /** Beside the label: where it is. */
  place?: string
  /** The shortcut, as in `Action.keys`. */
  keys?: string | undefined
  icon: ReactNode
  run(): void
}

/** Entries of one kind below their title. */
export interface PaletteGroup {
  title: string
  entries: readonly PaletteEntry[]
  /** Shown only when something is searched for, because there may be many. */
  isLong?: boolean
  /** More entries match than are listed. */
  hasMore?: boolean
}

/** The most entries of one group while something is searched for. */
const maxEntries = 8
/** A folder may have 50,000 items. Of so many matches, no more are compared. */
const maxCompared = 2000

/** The groups that match `query`: the best entries of each, and the group with the best entry first. */
export function matchingGroups(groups: readonly PaletteGroup[], query: string): PaletteGroup[] {
  const words = fold(query.trim())
  if (!words) return groups.filter(({ isLong, entries }) => !isLong && entries.length > 0)
  return groups
    .map((group) => ({ group, found: bestEntries(group.entries, words) }))
    .filter(({ found }) => found.length > 0)
    .sort((a, b) => (b.found[0]?.score ?? 0) - (a.found[0]?.score ?? 0))
    .map(({ group, found }) => ({
      ...group,
      entries: found.slice(0, maxEntries).map(({ entry }) => entry),
      hasMore: found.length > maxEntries,
    }))
}

function bestEntries(entries: readonly PaletteEntry[], words: string) {
  const found: { entry: PaletteEntry; score: number }[] = []
  for (const entry of entries) {
    const score = matchScore(words, fold(entry.label))
    if (score !== undefined) found.push({ entry, score })
    if (found.length === maxCompared) break
  }
  return found.sort((a, b) => b.score - a.score)
}
