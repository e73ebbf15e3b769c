import { posix } from 'node:path'
import type { Published, PublishRun, Schedule } from '#contract/publish.ts'
import type { Principal } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import { createRunAgain } from '#src/core/concurrency/keyed-lock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { GeneratorResult } from '#src/site/website/generator.ts'
import { recheckPublishing } from '#src/site/website/site.policy.ts'
import { keepRun, type RunRecord, runsOf, schedulesOf } from '#src/site/website/site-records.ts'
import { openWebsite, requireInside, requireWhole, type Website } from '#src/site/website/website.ts'
import type { Store } from '#src/state/store.ts'
import { type BuildTools, buildSite } from './build-site.ts'
import type { Undrafted } from './undraft.ts'

/** What publishing needs. */
export interface PublishTools extends BuildTools {
  store: Store
  hooks: Hooks
  clock: Clock
  log: Logger
  undraft(person: Principal, site: Website, path: UserPath): Promise<Undrafted>
}

/** Publishes the website. One run of the generator at a time; a wish during a run is served by one more run after it. */
export function createPublications(tools: PublishTools) {
  const { store, generator, records, hooks, clock, log } = tools
  const runAgain = createRunAgain<GeneratorResult>()
  /** By the real path of the site: the files that were marked as published for the next run. */
  const waiting = new Map<string, Undrafted[]>()

  /**
   * Builds the site. If that fails, puts all files back that were marked as published for it: otherwise the next run,
   * which may begin at once, would publish them.
   */
  async function build(person: Principal, real: string): Promise<GeneratorResult> {
    const drafts = waiting.get(real) ?? []
    waiting.delete(real)
    let isDone = false
    try {
      // A wish that waited may see other settings and rules than those of the moment when it was made.
      const site = await openWebsite(generator.kind, store, person)
      await requireWhole(site, person)
      const result = await buildSite(tools, site, person.change)
      isDone = result.isOk
      return result
    } finally {
      for (const { path, putBack } of isDone ? [] : drafts)
        await putBack().catch((err: unknown) => log.error({ err, path }, 'a draft could not be put back'))
    }
  }

  /** Prepares the file and builds the site. @returns the path of the file afterwards, and how the generator ended */
  async function publishIn(person: Principal, site: Website, path: UserPath) {
    const recheck = recheckPublishing(person, path)
    await hooks.before('publish', { ...contextOf(person, site, path), recheck })
    const draft = path === site.root ? undefined : await tools.undraft(person, site, path)
    if (draft) waiting.set(site.real, [...(waiting.get(site.real) ?? []), draft])
    const result = await runAgain(site.real, () => build(person, site.real))
    recheck()
    if (!result.isOk) throw new Problem('site.failed', { generator: generator.kind, output: result.output })
    return { path: draft?.path ?? path, output: result.output, duration: result.duration }
  }

  /** Stores how a publication ended. A record that cannot be stored does not make the publication fail. */
  async function keep(run: Omit<RunRecord, 'id' | 'kind'>): Promise<void> {
    await keepRun(records, run).catch((err: unknown) =>
      log.error({ err }, 'a publication could not be recorded'),
    )
  }

  /** Publishes and stores the run, also one that fails. @throws what `publish` throws. */
  async function publishAndKeep(
    person: Principal,
    { site, path, late }: { site: Website; path: UserPath; late?: number | undefined },
  ): Promise<Published> {
    const started = clock()
    const { username } = person.user
    const about = { path: site.toServed(path), username, started, ...(late !== undefined && { late }) }
    const done = await publishIn(person, site, path).catch(async (error: unknown) => {
      const ended = { duration: clock() - started, outcome: 'failed' as const, output: outputOf(error) }
      if (!tools.signal.aborted) await keep({ ...about, ...ended })
      throw error
    })
    await keep({ ...about, duration: done.duration, outcome: 'published', output: done.output })
    log.info({ user: username, path: about.path, duration: done.duration }, 'the website was published')
    await hooks.after('publish', contextOf(person, site, done.path))
    return done
  }

  return {
    /**
     * Publishes a file, or the whole site for its root.
     *
     * @param late when it should have been done, for a schedule that runs late
     * @throws Problem `auth.forbidden`, `site.setting`, `site.outside`, `site.failed`, `hook.before`, `hook.after`, and
     *   the problems of the file.
     */
    async publish(person: Principal, path: UserPath, late?: number): Promise<Published> {
      const site = await openWebsite(generator.kind, store, person)
      requireInside(site, path)
      await (await openPath(site.jail, path)).close()
      await requireWhole(site, person)
      return publishAndKeep(person, { site, path, late })
    },

    /** What is scheduled, and the last runs, as this user sees them. @throws Problem as `publish`. */
    async list(person: Principal): Promise<{ scheduled: Schedule[]; runs: PublishRun[] }> {
      const site = await openWebsite(generator.kind, store, person)
      const shown = <T extends { path: string }>(all: readonly T[]) =>
        all.flatMap((one) => {
          const path = site.toShown(one.path as UserPath)
          return path === undefined ? [] : [{ ...one, path }]
        })
      return {
        scheduled: shown(schedulesOf(records)).map(({ id, path, at, username }) => ({
          ...{ id, path, username },
          at: rfc3339(at),
        })),
        runs: shown(runsOf(records)).map(viewOf),
      }
    },
  }
}

export type Publications = ReturnType<typeof createPublications>

function viewOf({ id, username, started, duration, outcome, output, late, path }: RunRecord): PublishRun {
  const run = { id, path, username, started: rfc3339(started), duration, outcome, output }
  return late === undefined ? run : { ...run, late: rfc3339(late) }
}

function contextOf(person: Principal, { jail }: Website, path: UserPath) {
  return { person, jail, file: posix.join(jail.root, path) }
}

/** A time in UTC. */
export function rfc3339(at: number): string {
  return new Date(at).toISOString()
}

/** What the list of runs says about an error. */
export function outputOf(error: unknown): string {
  if (!(error instanceof Problem)) return 'the server failed; see the log for details'
  return String(error.code === 'site.failed' ? error.details?.output : error.message)
}
