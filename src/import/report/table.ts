import type { Outcome, Report, ReportLine } from './report.ts'

/** A report, and what happened with it. */
export interface Printed extends Report {
  readonly files: readonly string[]
  readonly database: string
  /** Whether the state was written. Otherwise it was a dry run. */
  readonly isWritten: boolean
  /** The copy of the previous state. Undefined: there was none. */
  readonly backup: string | undefined
}

/** Returns the lines of a report for people. */
export function tableOf({ lines, flags, advice, ...about }: Printed): string[] {
  return [
    ...about.files,
    '',
    ...columns(lines),
    '',
    summary(lines),
    ...advice,
    ...(flags.length > 0 ? ['Start Coffer with:', `  coffer serve ${flags.map(quoted).join(' ')}`] : []),
    ...outcome(about),
  ]
}

/** Returns a report for programs. */
export function jsonOf({ lines, flags, advice, files, database, isWritten, backup }: Printed): string {
  return JSON.stringify(
    { files, database, written: isWritten, backup: backup ?? null, lines, flags, advice },
    null,
    2,
  )
}

function columns(lines: readonly ReportLine[]): string[] {
  const rows = lines.map(({ kind, name, outcome, detail }) => [kind, name, outcome, detail])
  const widths = [0, 1, 2].map((at) => Math.max(0, ...rows.map((row) => [...(row[at] ?? '')].length)))
  const pad = (text: string, at: number) =>
    text + ' '.repeat(Math.max(0, (widths[at] ?? 0) - [...text].length))
  return rows.map((row) => row.map(pad).join('  ').trimEnd())
}

function summary(lines: readonly ReportLine[]): string {
  const count = (outcome: Outcome) => lines.filter((line) => line.outcome === outcome).length
  return `${count('imported')} imported, ${count('changed')} changed, ${count('dropped')} dropped.`
}

function outcome({
  database,
  isWritten,
  backup,
}: Pick<Printed, 'database' | 'isWritten' | 'backup'>): string[] {
  if (!isWritten) return ['This was a dry run: nothing was written.']
  const copied = backup === undefined ? [] : [`The previous state is in ${backup}.`]
  return [`Wrote ${database}.`, ...copied]
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
