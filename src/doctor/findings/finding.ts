import type { Finding, Place } from '#contract/doctor.ts'

/** A finding with what only the server needs: the names in its text, and the function that fixes it. */
export interface CheckFinding extends Finding {
  /** Names and paths of users in the text, which a bug report must not contain. */
  names?: readonly string[]
  /** Fixes what was found. Returns a sentence that says what was done. */
  apply?(): Promise<string>
}

type Lines = Partial<Record<Place, string>>
type More = Partial<Pick<CheckFinding, 'names' | 'fix' | 'apply'>> & { lines?: Lines }

/** Creates a finding. `more.lines` has the line to change by program. */
export function finding(
  id: string,
  level: Finding['level'],
  text: string,
  { lines = {}, ...more }: More = {},
): CheckFinding {
  const list = Object.entries(lines).map(([where, line]) => ({ where: where as Place, text: line }))
  return { id, level, text, lines: list, ...more }
}

/** The finding of a check that found nothing wrong. */
export function fine(id: string, text: string): CheckFinding {
  return finding(id, 'ok', text)
}

/** Removes what only the server needs. */
export function toView({ id, level, text, lines, fix }: CheckFinding): Finding {
  return { id, level, text, lines, ...(fix && { fix }) }
}

const levels: readonly Finding['level'][] = ['error', 'warning', 'advice', 'ok']

/** Sorts findings: the most serious first, otherwise in their order. */
export function bySeverity<F extends Finding>(findings: readonly F[]): F[] {
  return findings.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))
}

/** A list of names for a sentence: the first `most`, and how many more there are. */
export function someOf(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).join(', ')
  return names.length > most ? `${shown} and ${names.length - most} more` : shown
}

/** A number of bytes for people, such as `1.5 GiB`. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
