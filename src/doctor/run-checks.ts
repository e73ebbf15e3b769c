import { errnoOf, Problem } from '#src/core/problem.ts'
import { type CheckFinding, finding } from './findings/finding.ts'
import type { Check, Subject } from './findings/subject.ts'

/** The time that a check gets, in milliseconds. A disk that does not respond must not stop the other checks. */
const defaultBoundMs = 8000

/**
 * Runs all checks at once. A check that fails or takes too long becomes a finding. The system call that it waits for
 * cannot be cancelled and ends on its own.
 */
export async function runChecks(
  checks: Readonly<Record<string, Check>>,
  subject: Subject,
  boundMs = defaultBoundMs,
): Promise<CheckFinding[]> {
  const found = await Promise.all(
    Object.entries(checks).map(([name, check]) =>
      runBounded(name, (signal) => check(subject, signal), boundMs),
    ),
  )
  return found.flat()
}

async function runBounded(
  name: string,
  check: (signal: AbortSignal) => ReturnType<Check>,
  boundMs: number,
): Promise<readonly CheckFinding[]> {
  const ending = new AbortController()
  const late = Promise.withResolvers<readonly CheckFinding[]>()
  const timer = setTimeout(() => {
    ending.abort()
    const seconds = Math.round(boundMs / 1000)
    late.resolve([unchecked(name, `it took longer than ${seconds} s; a disk may not respond`, true)])
  }, boundMs)
  try {
    return await Promise.race([check(ending.signal), late.promise])
  } catch (error) {
    const isSilent = error instanceof Problem && error.code === 'disk.silent'
    return [unchecked(name, errnoOf(error) ?? String((error as Error)?.message ?? error), isSilent)]
  } finally {
    clearTimeout(timer)
  }
}

/** The end of the id of a finding after which a thread of this process may wait for a disk for ever. */
export const blockedSuffix = '.no-response'

function unchecked(name: string, reason: string, isBlocked: boolean): CheckFinding {
  const id = name.replaceAll(' ', '-') + (isBlocked ? blockedSuffix : '.unchecked')
  const text = `The check "${name}" could not be completed: ${reason}.`
  return finding(id, isBlocked ? 'error' : 'warning', text, { names: [reason] })
}
