import type { Clock } from '#src/core/clock.ts'
import type { Records } from '#src/core/storage/records.ts'
import type { RunRecord, ScheduleRecord, SiteRecord } from '#src/site/website/site-records.ts'
import { parseJson, unusable } from '../archive/manifest.ts'
import { jsonContent } from '../archive/write-backup.ts'
import type { Part } from './part.ts'

const fileName = 'site.json'
const mostRecords = 1000

/** The notes of a half-done swap of folders belong to the disk, not into a backup. */
const isMoved = (record: SiteRecord) => record.kind !== 'swap'

/** The scheduled publications of the website, and its last runs. */
export function createSitePart({
  siteRecords,
  clock,
}: {
  siteRecords: Records<SiteRecord>
  clock: Clock
}): Part {
  return {
    limit: { files: 1, each: 32 * 1024 ** 2, all: 32 * 1024 ** 2 },
    isName: (name) => name === fileName,

    collect: async () => ({ contents: [jsonContent(fileName, siteRecords.all().filter(isMoved))] }),

    async check({ files: [file] }) {
      if (!file) return { note: undefined, summary: {}, lines: [] }
      const given = parseJson(await file.read(), fileName)
      const isValid = Array.isArray(given) && given.length <= mostRecords
      if (!isValid || !given.every((one) => siteRecords.accepts(one) && isMoved(one)))
        throw unusable(`${fileName} is damaged`)
      const records = given as (ScheduleRecord | RunRecord)[]
      const schedules = records.filter((one) => one.kind === 'schedule')
      // To publish them now would surprise: since the backup, they were published, changed or withdrawn.
      const missed = schedules.filter(({ at }) => at <= clock())
      const lines = missed.map(
        ({ path, at }) =>
          `not scheduled, because its time has passed: ${path} at ${new Date(at).toISOString()}`,
      )
      const left = schedules.length - missed.length
      return {
        note: records.filter((one) => !missed.some(({ id }) => id === one.id)),
        summary: { schedules: left, missed: missed.map(({ path, at }) => ({ path, at })) },
        lines: left > 0 ? [`scheduled publications: ${left}`, ...lines] : lines,
      }
    },

    async finish(note) {
      const records = note as SiteRecord[]
      // The next start may finish a restore much later. Since then, a schedule whose time has passed was run or withdrawn.
      // If it is still there, it stays.
      const isPassed = (one: SiteRecord) => one.kind === 'schedule' && one.at <= clock()
      const kept = new Set(records.map(({ id }) => id))
      for (const one of siteRecords.all())
        if (isMoved(one) && !kept.has(one.id)) await siteRecords.remove(one.id)
      for (const record of records) if (!isPassed(record)) await siteRecords.put(record)
    },
  }
}
