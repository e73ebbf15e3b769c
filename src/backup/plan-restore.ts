import { entryOf } from '#src/core/lookup.ts'
import type { State } from '#src/state/state.ts'
import { type Manifest, shown, unusable } from './archive/manifest.ts'
import type { BackupSources, CheckedPart, ReceivedFile, RestoreOptions } from './parts/part.ts'
import { restoredState, stateFileName, stateLimit } from './parts/state-part.ts'

/** The result of a restore, or what it would do. */
export interface RestoreReport {
  /** When and by which version the backup was written. */
  created: string
  coffer: string
  /** The backup of what there was before. Undefined: nothing was changed. */
  before?: string
  /** What changes, by part. */
  parts: Readonly<Record<string, unknown>>
  /** The same as sentences. */
  lines: readonly string[]
  /** What is not done yet, and is tried again at the next start. */
  unfinished: readonly string[]
}

/** A verified backup. */
export interface ReceivedBackup {
  manifest: Manifest
  files: readonly ReceivedFile[]
  state: State
}

/** What a restore will do. */
interface RestorePlan {
  report: RestoreReport
  state: State
  /** What `finish` of each part needs. */
  notes: Record<string, unknown>
}

/** Checks that every file of a backup belongs to a part and is within its limits. @throws CommandProblem. */
export function refuseUnknownFiles({ files }: Manifest, parts: BackupSources['parts']): void {
  for (const [part, own] of Map.groupBy(files, (file) => file.part)) {
    const { limit, isName } = part === 'state' ? stateRow : (entryOf(parts, part) ?? unknownRow)
    const stranger = own.find(({ name }) => !isName(name))
    if (stranger) throw unusable(`it has the unknown file ${shown(stranger.name)}`)
    const large = own.find(({ size }) => size > limit.each)
    if (large) throw unusable(`${shown(large.name)} is too large`)
    const bytes = own.reduce((sum, { size }) => sum + size, 0)
    if (own.length > limit.files || bytes > limit.all) throw unusable(`its part ${part} is too large`)
  }
  if (!files.some(({ part }) => part === 'state')) throw unusable('it has no state')
}

const stateRow = { limit: stateLimit, isName: (name: string) => name === stateFileName }
const unknownRow = { limit: stateLimit, isName: () => false }

/**
 * Checks a verified backup against the present, and returns what restoring it will do. Changes nothing.
 *
 * @param before the present state
 * @throws CommandProblem when it cannot be restored.
 */
export async function planRestore(
  { parts, binding }: Pick<BackupSources, 'parts' | 'binding'>,
  { manifest, files, state }: ReceivedBackup,
  { options, before }: { options: RestoreOptions; before: Readonly<State> },
): Promise<RestorePlan> {
  const first = await restoredState(state, before, { manifest, options, binding })
  const checked: [string, CheckedPart][] = [['state', first]]
  for (const [name, part] of Object.entries(parts)) {
    const own = files.filter((file) => file.part === name)
    checked.push([name, await part.check({ manifest, options, before, after: first.state, files: own })])
  }
  const notes = checked.filter(([, { note }]) => note !== undefined).map(([name, { note }]) => [name, note])
  return {
    state: first.state,
    notes: Object.fromEntries(notes),
    report: {
      created: manifest.created,
      coffer: manifest.coffer,
      parts: Object.fromEntries(checked.map(([name, { summary }]) => [name, summary])),
      lines: [...checked.flatMap(([, { lines }]) => lines), ...manifest.left],
      unfinished: [],
    },
  }
}
