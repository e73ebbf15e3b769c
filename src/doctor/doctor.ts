import type { DoctorView } from '#contract/doctor.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { errnoOf, unconditional } from '#src/core/problem.ts'
import { version } from '#src/core/version.ts'
import { refreshMounts } from '#src/files/paths/remote-mounts.ts'
import { type BundleFile, createBundle } from './bundle/bundle.ts'
import { checks } from './checks.ts'
import { bySeverity, type CheckFinding, toView } from './findings/finding.ts'
import type { Subject } from './findings/subject.ts'
import { runChecks } from './run-checks.ts'

/** The result of the checks, and of the fixes before them. */
export interface DoctorReport extends DoctorView {
  /** A sentence for each fix that was done, and for each that failed. */
  fixed: string[]
  /** Whether the running server has made the checks. */
  isServer: boolean
}

/**
 * Creates the checks of one instance.
 *
 * @param options.subject reads what is checked, again for each run
 * @param options.logLines the last lines of the log; undefined: there is no log
 */
export function createDoctor(options: {
  subject: () => Promise<Subject>
  logLines: () => Promise<readonly string[] | undefined>
}) {
  // One run at a time, because a run walks through the served folder.
  const runs = createSemaphore('checks', { all: 1, waitingAll: 8 })

  /** @throws Problem `server.busy` when too many wait. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    using _permit = await runs.acquire('all', { recheck: unconditional })
    return await work()
  }

  async function run(changes: Partial<Subject> = {}): Promise<CheckFinding[]> {
    // A system call on a silent disk that was mounted just now would block a thread for ever.
    refreshMounts()
    return bySeverity(await runChecks(checks, { ...(await options.subject()), ...changes }))
  }

  return {
    /** Runs all checks. With `fix`, first does what is safe. @param shows whether the caller may see a path */
    check: ({ fix = false, shows = () => true }: { fix?: boolean; shows?: Subject['shows'] } = {}) =>
      inTurn(async (): Promise<DoctorReport> => {
        const fixed = fix ? await applyAll(await run()) : []
        const findings = await run({ shows })
        const { server } = await options.subject()
        return { version, findings: findings.map(toView), fixed, isServer: server !== undefined }
      }),

    /** Returns the files of a bug report, without names, addresses and secrets. */
    bundle: () =>
      inTurn(async (): Promise<BundleFile[]> => {
        const [findings, logLines] = [await run(), await options.logLines()]
        return createBundle({ subject: await options.subject(), findings, logLines })
      }),
  }
}

export type Doctor = ReturnType<typeof createDoctor>

async function applyAll(findings: readonly CheckFinding[]): Promise<string[]> {
  const done: string[] = []
  for (const { apply, text } of findings) {
    if (!apply) continue
    done.push(
      await apply().catch(
        (error: unknown) => `Not fixed (${errnoOf(error) ?? (error as Error).message}): ${text}`,
      ),
    )
  }
  return done
}
