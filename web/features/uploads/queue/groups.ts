import type { UploadRequest } from '#web/api/uploads/gather.ts'
import { needsPieces } from '#web/api/uploads/piece-size.ts'
import { page } from '#web/shared/page.ts'
import type { UploadGroup, UploadJob } from './uploads-state.ts'

let nextId = 1

/** The jobs of wishes below `folder` (decoded, closing slash), in their order. */
export function createJobs(folder: string, wishes: readonly UploadRequest[]): UploadJob[] {
  const groupOf = createGroups(folder)
  return wishes.map(({ path, body }) => {
    const size = body?.size ?? 0
    const inPieces = needsPieces(size, page.TusSettings.chunkSize)
    const fresh = { sent: 0, status: 'waiting', code: undefined } as const
    return { id: nextId++, path: folder + path, group: groupOf(path), size, inPieces, ...fresh }
  })
}

/** Returns a function that finds the group of a wish below `folder` (decoded, closing slash) by its relative path. */
export function createGroups(folder: string): (path: string) => UploadGroup | undefined {
  const groups = new Map<string, UploadGroup>()
  return (path) => {
    const end = path.indexOf('/') + 1
    if (end === 0) return undefined
    const top = path.slice(0, end)
    const group = groups.get(top) ?? { id: nextId++, path: folder + top }
    groups.set(top, group)
    return group
  }
}

/** One line of the panel: a folder with its jobs, or one job. */
export type UploadRow =
  | { key: string; group: UploadGroup; jobs: readonly UploadJob[]; isOpen: boolean }
  | { key: string; job: UploadJob; isInside: boolean }

/** The lines of the panel. Uploads of one folder are one line, with their own lines below while it is in `open`. */
export function rowsOf(jobs: readonly UploadJob[], open: ReadonlySet<number>): UploadRow[] {
  const inside = new Map<UploadGroup, UploadJob[]>()
  for (const job of jobs) {
    if (!job.group) continue
    const list = inside.get(job.group)
    if (list) list.push(job)
    else inside.set(job.group, [job])
  }
  return jobs.flatMap((job): UploadRow[] => {
    const { group } = job
    const list = group && inside.get(group)
    if (!group || !list || list.length === 1) return [rowOf(job, false)]
    if (list[0] !== job) return []
    const isOpen = open.has(group.id)
    const head = { key: `group ${group.id}`, group, jobs: list, isOpen }
    return isOpen ? [head, ...list.map((one) => rowOf(one, true))] : [head]
  })
}

function rowOf(job: UploadJob, isInside: boolean): UploadRow {
  return { key: `${job.id}`, job, isInside }
}
