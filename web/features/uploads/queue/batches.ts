import { parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { uploadedText } from '#web/shared/undo/change-text.ts'
import { collectOperations, recordChange } from '#web/shared/undo/history.ts'
import { isUnfinished, type UploadJob } from './uploads-state.ts'

/** What the user has chosen or dropped at once. It can be undone as one change when it has ended. */
interface Batch {
  /** The id of the user. */
  owner: number | undefined
  /** The folder of all jobs, decoded, with a closing slash. */
  folder: string
  jobs: readonly UploadJob[]
  unfinished: number
  changes: ReturnType<typeof collectOperations>
}

const batches = new Map<UploadJob, Batch>()

/** Begins a batch of uploads. */
export function beginBatch(jobs: readonly UploadJob[]): void {
  const [first] = jobs
  if (!first) return
  let folder = parentOf(first.path)
  while (!jobs.every(({ path }) => path.startsWith(folder) && path !== folder)) folder = parentOf(folder)
  const owner = session.user?.id
  const batch = { owner, folder, jobs, unfinished: jobs.length, changes: collectOperations() }
  for (const job of jobs) batches.set(job, batch)
}

/** Whether two jobs belong to the same batch. */
export function isSameBatch(one: UploadJob, other: UploadJob): boolean {
  return batches.get(one) === batches.get(other)
}

/** Adds the operation of a job to its batch. */
export function addOperation(job: UploadJob, id: string): void {
  batches.get(job)?.changes.onOperation(id)
}

/** Records every batch whose jobs have all ended as one change. Called when the status of jobs has changed. */
export function recordEndedBatches(): void {
  for (const [job, batch] of batches) {
    if (isUnfinished(job)) continue
    batches.delete(job)
    batch.unfinished--
    if (batch.unfinished === 0) record(batch)
  }
}

function record({ owner, folder, jobs, changes: { operations } }: Batch): void {
  const done = jobs.filter(({ status }) => status === 'done')
  if (operations.length === 0 || done.length === 0 || owner !== session.user?.id) return
  // A folder counts as one, with everything in it.
  const names = new Set(done.map(({ path }) => path.slice(folder.length).split('/')[0] ?? ''))
  recordChange({
    text: uploadedText([...names], folder),
    operations,
    place: { folder, names: [...names] },
  })
}
