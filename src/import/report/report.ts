import { shown } from './shown.ts'

/** What an import does with something: takes it as it is, takes it with a change, or leaves it out. */
export type Outcome = 'imported' | 'changed' | 'dropped'

/** One line of the report. */
export interface ReportLine {
  readonly kind: 'user' | 'share' | 'setting' | 'option'
  readonly name: string
  readonly outcome: Outcome
  /** What it is now, or the reason of the change. */
  readonly detail: string
}

/** What an import does, or would do. */
export interface Report {
  readonly lines: readonly ReportLine[]
  /** Flags of `coffer serve` that have the meaning of the options in the files. */
  readonly flags: readonly string[]
  /** Sentences with advice. */
  readonly advice: readonly string[]
}

/** Collects the lines of a report. */
export interface ReportWriter {
  /** Adds a line. Its texts may come from a file. */
  note(kind: ReportLine['kind'], name: string, outcome: Outcome, detail: string): void
  /** Adds a flag with its value. Undefined: a switch. */
  flag(name: string, value?: string): void
  /** Adds a sentence, once. */
  advise(sentence: string): void
  readonly report: Report
}

/** Creates an empty report. */
export function createReport(): ReportWriter {
  const lines: ReportLine[] = []
  const flags: string[] = []
  const advice = new Set<string>()
  return {
    note: (kind, name, outcome, detail) =>
      void lines.push({ kind, name: shown(name, 40), outcome, detail: shown(detail, 300) }),
    flag: (name, value) =>
      void flags.push(...(value === undefined ? [`--${name}`] : [`--${name}`, shown(value, 1000)])),
    advise: (sentence) => void advice.add(shown(sentence, 500)),
    get report() {
      return { lines, flags, advice: [...advice] }
    },
  }
}
