import { type ProblemCode, problems } from '#contract/problems.ts'
import { entryOf } from './lookup.ts'

/** An expected refusal. Anything else that is thrown is a bug and answers 500. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ProblemCode
  readonly details: Readonly<Record<string, string | number>>

  constructor(code: ProblemCode, details: Record<string, string | number> = {}, options?: ErrorOptions) {
    super(fill(problems[code].cause, details), options)
    this.code = code
    this.details = details
  }

  /** The HTTP status (contract/README.md#status-codes). */
  get status(): number {
    return problems[this.code].status
  }
}

/** Why the program cannot start: one sentence that says what to do. Ends with exit code 2 and no stack. */
export class StartupProblem extends Error {
  override name = 'StartupProblem'
}

function fill(cause: string, details: Record<string, string | number>): string {
  return cause.replace(/\{(\w+)\}/g, (_, key: string) => String(entryOf(details, key) ?? '?'))
}
