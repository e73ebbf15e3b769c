import { ref } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import type { UploadRequest } from '#web/api/uploads/gather.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { announceChange } from '#web/shared/changes.ts'
import { page } from '#web/shared/page.ts'
import { parentOf } from '#web/shared/paths.ts'
import { createSemaphore } from '#web/shared/semaphore.ts'
import { session } from '#web/shared/session.ts'
import {
  forgetTries,
  isReachable,
  isReadable,
  mayRetry,
  waitForRetry,
  wakeWhenReachable,
} from '#web/shared/uploads/connectivity.ts'
import { addOperation, beginBatch } from './batches.ts'
import { nextBundle, sendBundle } from './bundle.ts'
import { deleteIncompleteUpload, uploadItem } from './deliver.ts'
import { createJobs } from './groups.ts'
import { resolveConflicts } from './plan.ts'
import { recordProgress, recordResumed, updateShownState, updateSoon } from './progress.ts'
import { type HoldReason, isUnfinished, type UploadJob, type UploadStatus, uploads } from './uploads-state.ts'
import { watchUploads } from './watch.ts'

const permits = createSemaphore(3)

const bodies = new Map<UploadJob, Blob>()
const choices = new Map<UploadJob, Choice>()
const sending = new Map<UploadJob, AbortController>()
/** Jobs whose request broke off. The server may have the whole file. */
const broken = new Set<UploadJob>()
const queue = { bodies, choices, sending, arrive, reject, finish }
let waiting: UploadJob[] = []
let waking = new AbortController()

/** Adds files and folders to the queue, below `folder` (decoded, closing slash), asks about taken names, and starts. */
export async function enqueue(folder: string, wishes: readonly UploadRequest[]): Promise<void> {
  watchUploads({ hold: holdUploads, release: continueUploads, clear })
  // Failed uploads stay until the user handles them.
  if (!uploads.isActive) uploads.jobs = ref(uploads.jobs.filter(({ status }) => status === 'failed'))
  const jobs = createJobs(folder, wishes)
  for (const [at, job] of jobs.entries()) {
    const body = wishes[at]?.body
    if (body) bodies.set(job, body)
  }
  uploads.jobs = ref([...uploads.jobs, ...jobs])
  uploads.isMinimized = false
  updateShownState()
  await begin(folder, jobs)
}

/** Cancels one upload. The server deletes the bytes that have arrived. */
export function cancel(job: UploadJob): void {
  const body = bodies.get(job)
  // A running upload deletes its bytes itself after it has stopped.
  if (body && isUnfinished(job) && job.sent > 0 && !sending.has(job))
    void deleteIncompleteUpload(job.path, body)
  stop(job, 'cancelled')
}

/** Cancels all unfinished uploads. */
export function cancelAll(): void {
  waking.abort()
  for (const job of uploads.jobs) cancel(job)
}

/** Pauses one upload. Unless it is sent in pieces, it restarts from its beginning when resumed. */
export function pause(job: UploadJob): void {
  stop(job, 'paused')
}

/** Resumes one paused upload. */
export function resume(job: UploadJob): void {
  if (job.status !== 'paused') return
  job.status = 'waiting'
  waiting.unshift(job)
  pump()
}

/** Stops sending until `continueUploads`. Running uploads will restart from their beginning, or from their last piece. */
export function holdUploads(why: HoldReason): void {
  uploads.hold = why
  waking.abort()
  for (const job of sending.keys()) stop(job, 'waiting')
  updateShownState()
  if (why === 'offline') waking = wakeWhenReachable(continueUploads)
}

/** Continues after `holdUploads`. */
export function continueUploads(): void {
  waking.abort()
  uploads.hold = undefined
  pump()
}

/** Resumes all uploads, including those that were paused one by one. */
export function resumeAll(): void {
  for (const job of uploads.jobs) resume(job)
  continueUploads()
}

/** Retries failed and cancelled uploads, and asks again about taken names. */
export async function retry(jobs: readonly UploadJob[]): Promise<void> {
  const again = jobs.filter(({ status }) => status === 'failed' || status === 'cancelled')
  for (const job of again) {
    Object.assign(job, { status: 'waiting', sent: 0, code: undefined })
    choices.delete(job)
    forgetTries(job)
  }
  updateShownState()
  await begin('/', again)
}

/** Clears the queue and the panel, and stops running uploads. */
export function clear(): void {
  cancelAll()
  for (const each of [bodies, choices, broken]) each.clear()
  waiting = []
  uploads.jobs = ref([])
  updateShownState()
}

async function begin(folder: string, jobs: readonly UploadJob[]): Promise<void> {
  beginBatch(jobs)
  const found = await resolveConflicts(folder, jobs, (job) => bodies.get(job))
  for (const job of jobs) {
    if (job.status !== 'waiting') continue
    const choice = found?.get(job)
    if (choice) choices.set(job, choice)
    // Closing the question cancels the jobs. A retry asks again.
    if (!found) job.status = 'cancelled'
    else if (choice === 'skip') job.status = 'skipped'
    else waiting.push(job)
  }
  updateShownState()
  pump()
}

function pump(): void {
  while (!uploads.hold && waiting.length > 0) {
    const release = permits.tryAcquire()
    if (!release) break
    const bundle = nextBundle(waiting, queue, permits.free + 1)
    if (bundle.length > 0) {
      waiting = waiting.filter((job) => !bundle.includes(job))
      void sendBundle(bundle, queue).then(release).then(pump)
      continue
    }
    const job = waiting.shift()
    if (job?.status === 'waiting' && !sending.has(job)) void send(job, release)
    else release()
  }
  updateSoon()
}

async function send(job: UploadJob, release: () => void): Promise<void> {
  const controller = new AbortController()
  sending.set(job, controller)
  Object.assign(job, { status: 'sending', code: undefined })
  const { signal } = controller
  try {
    const [body, choice] = [bodies.get(job), choices.get(job)]
    const onProgress = (sent: number) => recordProgress(job, sent)
    const onResume = (sent: number) => recordResumed(job, sent)
    const wasBroken = broken.has(job)
    // After a broken upload, larger files are sent in pieces, so that a bad network does not lose everything again.
    job.inPieces ||= wasBroken && job.size > page.TusSettings.chunkSize
    const { path: targetPath, inPieces } = job
    const path = await uploadItem({
      ...{ path: targetPath, body, choice, wasBroken, inPieces, signal, onProgress, onResume },
      onOperation: (id) => addOperation(job, id),
    })
    if (path) arrive(job, path)
    else finish(job, 'skipped')
  } catch (error) {
    if (!signal.aborted) await fail(job, error, signal)
  } finally {
    // The user, or a lost connection, has set a new status in the meantime.
    if (signal.aborted) finish(job, signal.reason as UploadStatus)
    sending.delete(job)
    release()
    pump()
  }
}

function arrive(job: UploadJob, path: string): void {
  job.path = path
  recordProgress(job, job.size)
  bodies.delete(job)
  finish(job, 'done')
  announceChange(parentOf(path))
}

/** Fails the job with a rejection. After a lost connection or session, the job waits instead. */
async function fail(job: UploadJob, error: unknown, signal: AbortSignal): Promise<void> {
  const code = codeOf(error)
  // A rejection of an earlier session may arrive after the next sign-in.
  if (code === 'auth.required' && !session.user) return holdUploads('signed-out')
  if (reject(job, code)) return
  const body = bodies.get(job)
  if (body && !(await isReadable(body))) {
    job.code = 'file.unreadable'
    return finish(job, 'failed')
  }
  if (!(await isReachable())) return signal.aborted ? undefined : holdUploads('offline')
  finish(job, (await waitForRetry(job, signal)) ? 'waiting' : 'failed')
}

/** Fails the job with a rejection that no retry can change. Returns false if a retry may succeed. */
function reject(job: UploadJob, code: FailureCode): boolean {
  job.code = code
  if (code === 'hook.after') announceChange(parentOf(job.path)) // the file was saved
  if (mayRetry(code)) return false
  // The file has arrived. It is not visible yet.
  finish(job, code === 'scan.held' ? 'done' : 'failed')
  return true
}

/** Stops `job` if it is unfinished, and sets its status. */
function stop(job: UploadJob, status: UploadStatus): void {
  const controller = sending.get(job)
  if (controller) controller.abort(status)
  else if (isUnfinished(job)) finish(job, status)
}

function finish(job: UploadJob, status: UploadStatus): void {
  job.status = status
  if (status === 'done') broken.delete(job)
  // Also without reported progress: for a small file, only the response may be lost.
  // But an upload that runs elsewhere is not the one of this job, and a further attempt must not replace it.
  else if (sending.has(job) && job.code !== 'upload.running') broken.add(job)
  if ((status === 'waiting' || status === 'paused') && !job.inPieces) job.sent = 0
  if (status === 'waiting') waiting.unshift(job)
  updateSoon()
}
