import type { Schedule } from '#contract/publish.ts'
import type { Principal } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { Records } from '#src/core/storage/records.ts'
import type { Change } from '#src/files/changes/change.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Operations } from '#src/operations/operations.ts'
import { keepRun, type ScheduleRecord, type SiteRecord, schedulesOf } from '#src/site/website/site-records.ts'
import { requireInside, type Website } from '#src/site/website/website.ts'
import { outputOf, type Publications, rfc3339 } from './publications.ts'

const checkEveryMs = 1000
// A run that begins later than this is noted as late.
const toleratedMs = 60_000
const mostSchedules = 200
/** The farthest time that can be scheduled. */
const farthestMs = 10 * 366 * 24 * 60 * 60_000

/** What schedules need. */
interface ScheduleOptions {
  records: Records<SiteRecord>
  publications: Publications
  open(person: Principal): Promise<Website>
  /** Undefined: the account was deleted. */
  personOf(userId: number, change?: Change): Principal | undefined
  /** Runs scheduled publications in an operation. */
  operations: Pick<Operations, 'run'>
  clock: Clock
  log: Logger
  /** Aborts when the server closes. */
  signal: AbortSignal
}

/** Publications at a time. They are stored, so they survive a restart. Each runs once. */
export function createSchedules(options: ScheduleOptions) {
  const { records, clock, log, signal } = options
  const running = new Set<string>()
  // The clock of the server may jump, so the time is compared again and again instead of waiting for it once.
  const timer = setInterval(() => void runDue(), checkEveryMs).unref()

  async function runDue(): Promise<void> {
    if (signal.aborted) return
    const due = schedulesOf(records).filter(({ id, at }) => at <= clock() && !running.has(id))
    await Promise.all(due.map(runOne))
  }

  async function runOne(schedule: ScheduleRecord): Promise<void> {
    const { id } = schedule
    running.add(id)
    try {
      const isDone = await publish(schedule)
      // The next start runs it again, as it does if the server is killed during the run.
      if (isDone || !signal.aborted) await records.remove(id)
    } catch (err) {
      log.error({ err }, 'a schedule could not be removed')
    } finally {
      running.delete(id)
    }
  }

  /** Returns whether it was published. Stores what is refused before the publication begins. */
  async function publish(schedule: ScheduleRecord): Promise<boolean> {
    const { username, path, at } = schedule
    const started = clock()
    const late = started - at > toleratedMs ? at : undefined
    try {
      await publishAs(options, schedule, late)
      return true
    } catch (error) {
      log.error({ err: error, user: username, path }, 'a scheduled publication failed')
      if (signal.aborted || hasRun(records, path, started)) return false
      const about = { path, username, started, duration: 0, ...(late !== undefined && { late }) }
      await keepRun(records, { ...about, outcome: 'refused', output: outputOf(error) })
      return false
    }
  }

  /** Returns the time if something can be scheduled for it. @throws Problem `request.invalid`, `site.time`, `site.many`. */
  function checkTime(at: string): number {
    const time = timeOf(at)
    if (time <= clock() || time > clock() + farthestMs) throw new Problem('site.time', { at })
    if (schedulesOf(records).length >= mostSchedules) throw new Problem('site.many', { most: mostSchedules })
    return time
  }

  return {
    checkTime,

    /**
     * Schedules a publication, once.
     *
     * @param at RFC 3339 with a zone
     * @throws Problem `request.invalid`, `site.time`, `site.many`, and as `Publications.publish`.
     */
    async add(person: Principal, path: UserPath, at: string): Promise<Schedule> {
      const site = await options.open(person)
      requireInside(site, path)
      await using held = await openPath(site.jail, path)
      if (held.stats.isDirectory() && path !== site.root) throw new Problem('path.folder', { path })
      const time = checkTime(at)
      const { id: userId, username } = person.user
      const id = randomId()
      await records.put({ id, kind: 'schedule', userId, username, path: site.toServed(path), at: time })
      return { id, path, at: rfc3339(time), username }
    },

    /** Cancels a publication of the site. @throws Problem `site.schedule`, and as `openWebsite`. */
    async cancel(person: Principal, id: string): Promise<void> {
      const site = await options.open(person)
      const schedule = schedulesOf(records).find((one) => one.id === id)
      const isVisible = schedule && site.toShown(schedule.path as UserPath) !== undefined
      if (!isVisible || running.has(id)) throw new Problem('site.schedule')
      await records.remove(id)
    },

    runDue,
    close: () => clearInterval(timer),
  }
}

function hasRun(records: Records<SiteRecord>, path: string, since: number): boolean {
  return records.all().some((one) => one.kind === 'run' && one.path === path && one.started >= since)
}

const rfc3339Pattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/

function timeOf(text: string): number {
  // In a query, `+` is a space.
  const written = text.replace(' ', '+')
  const time = rfc3339Pattern.test(written) ? Date.parse(written.toUpperCase()) : Number.NaN
  // A day that the month does not have would be one of the next month.
  const day = Number(written.slice(8, 10))
  const isDay =
    day <= new Date(Date.UTC(Number(written.slice(0, 4)), Number(written.slice(5, 7)), 0)).getUTCDate()
  if (!Number.isNaN(time) && isDay) return time
  throw new Problem('request.invalid', { field: 'at', reason: 'must be an RFC 3339 time with a zone' })
}

/** Publishes in the name of the user who has scheduled it, in an operation of its own. */
async function publishAs(
  {
    operations,
    personOf,
    open,
    publications,
  }: Pick<ScheduleOptions, 'operations' | 'personOf' | 'open' | 'publications'>,
  { userId, username, path }: ScheduleRecord,
  late: number | undefined,
): Promise<void> {
  const user = { id: userId, name: username }
  await operations.run({ kind: 'publish', user, address: '', isAlwaysRecorded: true }, async (operation) => {
    const person = personOf(userId, operation)
    if (!person) throw new Problem('user.unknown')
    const own = (await open(person)).toShown(path as UserPath)
    if (own === undefined) throw new Problem('site.outside', { path })
    await publications.publish(person, own, late)
  })
}
