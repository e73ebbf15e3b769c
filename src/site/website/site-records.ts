import type { PublishRun } from '#contract/publish.ts'
import { entryOf } from '#src/core/lookup.ts'
import { randomId } from '#src/core/secret.ts'
import { openRecords, type Records } from '#src/core/storage/records.ts'
import { finishSwap, type NoteSwap } from '#src/files/writing/replace-folder.ts'

/** A publication that waits for its time. Paths are in the served folder, times in milliseconds since 1970. */
export interface ScheduleRecord {
  id: string
  kind: 'schedule'
  userId: number
  username: string
  path: string
  at: number
}

/** A finished run of the generator. */
export interface RunRecord extends Pick<PublishRun, 'outcome' | 'output' | 'duration' | 'username'> {
  id: string
  kind: 'run'
  path: string
  started: number
  /** When it should have started, if the server was not running then. */
  late?: number
}

/** A replacement of the public folder that may be half done. */
export interface SwapRecord {
  id: string
  kind: 'swap'
  folder: string
  name: string
  next: string
  aside: string
}

export type SiteRecord = ScheduleRecord | RunRecord | SwapRecord

const texts: Record<SiteRecord['kind'], readonly string[]> = {
  schedule: ['username', 'path'],
  run: ['username', 'path', 'outcome', 'output'],
  swap: ['folder', 'name', 'next', 'aside'],
}
const numbers: Record<SiteRecord['kind'], readonly string[]> = {
  schedule: ['userId', 'at'],
  run: ['started', 'duration'],
  swap: [],
}

/** Whether a value read from disk is a record of the website. */
function isSiteRecord(value: unknown): value is SiteRecord {
  const record = value as Record<string, unknown> | null
  const kind = record?.kind as SiteRecord['kind']
  const fieldOf = (name: string) => entryOf(record ?? {}, name)
  if (typeof record?.id !== 'string' || !Object.hasOwn(texts, String(kind))) return false
  return (
    texts[kind].every((name) => typeof fieldOf(name) === 'string') &&
    numbers[kind].every((name) => Number.isFinite(fieldOf(name)))
  )
}

/** The number of runs that are kept. */
export const keptRuns = 50

/** Stores a run, and removes the oldest ones. */
export async function keepRun(
  records: Records<SiteRecord>,
  run: Omit<RunRecord, 'id' | 'kind'>,
): Promise<void> {
  await records.keep({ id: randomId(), kind: 'run', ...run })
  const runs = runsOf(records)
  for (const { id } of runs.slice(keptRuns)) await records.remove(id)
}

/** The finished runs, the latest first. */
export function runsOf(records: Records<SiteRecord>): RunRecord[] {
  const runs = records.all().filter((one) => one.kind === 'run')
  return runs.toSorted((a, b) => b.started - a.started)
}

/** The scheduled publications, the next first. */
export function schedulesOf(records: Records<SiteRecord>): ScheduleRecord[] {
  const schedules = records.all().filter((one) => one.kind === 'schedule')
  return schedules.toSorted((a, b) => a.at - b.at)
}

/** Remembers a swap in the records until it is done. */
export function noteSwapIn(records: Records<SiteRecord>): NoteSwap {
  return async (swap) => {
    const id = randomId()
    await records.put({ id, kind: 'swap', ...swap })
    return () => records.remove(id)
  }
}

/**
 * Opens the records of the website, and finishes a replacement of the public folder that a crash interrupted. Must be done
 * before temporary folders are removed.
 */
export async function openSiteRecords(folder: string): Promise<Records<SiteRecord>> {
  const records = await openRecords(folder, isSiteRecord)
  for (const record of records.all()) {
    if (record.kind !== 'swap') continue
    if (await finishSwap(record)) await records.remove(record.id)
  }
  return records
}
