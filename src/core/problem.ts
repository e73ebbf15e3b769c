import { type ProblemCode, problems } from '#contract/problems.ts'
import { entryOf } from './lookup.ts'

/** An expected error of a request. Any other error is a bug, and its response has status 500. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ProblemCode
  readonly details: Readonly<Record<string, string | number>>

  constructor(code: ProblemCode, details: Record<string, string | number> = {}, options?: ErrorOptions) {
    const { stackTraceLimit } = Error
    // Collecting a stack trace is slow. Only errors of the server are logged with one.
    if (problems[code].status < 500) Error.stackTraceLimit = 0
    super(fill(problems[code].cause, details), options)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.details = details
  }

  /** The HTTP status (contract/README.md#status-codes). */
  get status(): number {
    return problems[this.code].status
  }
}

/**
 * The reason why the program cannot start: one sentence that says what to do. Exits with code 2 and without a stack
 * trace.
 */
export class StartupProblem extends Error {
  override name = 'StartupProblem'
}

/** The reason why a command of the command line failed: one sentence. Exits with code 1 and without a stack trace. */
export class CommandProblem extends Error {
  override name = 'CommandProblem'
}

function fill(cause: string, details: Record<string, string | number>): string {
  return cause.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = String(entryOf(details, key) ?? '?')
    return key === 'path' ? inOneLine(value) : value
  })
}

/** Escapes the control characters that names on disks may have: an error is one line. */
function inOneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/**
 * Checks access again when queued work starts. Throws the problem that the request would get if it were made now. Every
 * queue requires a recheck, so that revoked access always stops waiting work.
 */
export type Recheck = () => void

/** For work that depends on no permissions, such as cleaning up and restoring. */
export const unconditional: Recheck = () => {}

/** Whether `recheck` does not throw. */
export function passes(recheck: Recheck): boolean {
  return refusalOf(recheck) === undefined
}

/** Returns what `recheck` throws. Undefined when it does not throw. */
export function refusalOf(recheck: Recheck): unknown {
  try {
    recheck()
    return undefined
  } catch (error) {
    return error
  }
}
