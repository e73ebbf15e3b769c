import type { FailureCode } from '#web/api/client.ts'
import { uploadMany } from '#web/api/uploads/upload.ts'
import { addOperation, isSameBatch } from './batches.ts'
import { recordProgress } from './progress.ts'
import { type UploadJob, type UploadStatus, uploads } from './uploads-state.ts'

/** Limits of one request. It is short, so that a network that breaks off loses little, and so that every proxy accepts it. */
const most = { files: 100, bytes: 256 * 1024, fileBytes: 64 * 1024 }
/** How many jobs of the queue are examined for one request. */
const lookAhead = 300
/** Fewer files are sent one by one, at the same time. */
const minFiles = 8

/** Jobs that must have a request of their own, because a request with several files did not upload them. */
const alone = new WeakSet<UploadJob>()

/** What the queue knows about its jobs. */
export interface Known {
  bodies: ReadonlyMap<UploadJob, Blob>
  choices: ReadonlyMap<UploadJob, unknown>
  /** The running jobs. */
  sending: Map<UploadJob, AbortController>
}

/**
 * The jobs near the front of the queue that one request can upload: folders and small new files that were chosen at once.
 * They are shared among the requests that can start now.
 *
 * @param requests how many requests can start now, this one included
 * @returns no jobs: the first one needs its own request
 */
export function nextBundle(
  waiting: readonly UploadJob[],
  { choices, sending }: Known,
  requests: number,
): UploadJob[] {
  const [first] = waiting
  const fits = (job: UploadJob) =>
    job.status === 'waiting' &&
    !sending.has(job) &&
    !job.inPieces &&
    job.size <= most.fileBytes &&
    !choices.has(job) &&
    !alone.has(job)
  if (!first || !fits(first)) return []
  const small = waiting.slice(0, lookAhead).filter((job) => fits(job) && isSameBatch(job, first))
  if (small.length < minFiles) return []
  const candidates = small.slice(
    0,
    Math.min(most.files, Math.max(minFiles, Math.ceil(small.length / requests))),
  )
  let sum = 0
  const full = candidates.findIndex((job) => {
    // With its part and its date in the form: percent-encoding needs at most nine characters for one.
    sum += job.size + job.path.length * 9 + 350
    return sum > most.bytes
  })
  return full === -1 ? candidates : candidates.slice(0, full)
}

/** The functions of the queue that a request with several files needs. */
interface Queue extends Known {
  arrive(job: UploadJob, path: string): void
  /** Fails a job that the server has rejected. Returns false if it may be retried. */
  reject(job: UploadJob, code: FailureCode): boolean
  finish(job: UploadJob, status: UploadStatus): void
}

/**
 * Uploads several jobs in one request. A job that did not arrive, for a reason that a request of its own may overcome,
 * waits again and gets such a request, which asks the user or reports the error. Never throws.
 *
 * Stopping some of the jobs does not stop the request, because the server may have stored any of its files: a job that has
 * arrived is done.
 */
export async function sendBundle(jobs: readonly UploadJob[], queue: Queue): Promise<void> {
  const controllers = new Map(jobs.map((job) => [job, new AbortController()]))
  for (const [job, controller] of controllers) {
    queue.sending.set(job, controller)
    Object.assign(job, { status: 'sending', code: undefined })
  }
  const signal = stopSignal([...controllers.values()])
  try {
    let operation = ''
    const results = await uploadMany({
      files: jobs.map((job) => ({ path: job.path, body: queue.bodies.get(job) ?? new Blob() })),
      signal,
      onProgress: (sent) => recordProgressOf(jobs, sent),
      onOperation: (id) => {
        operation = id
      },
    })
    // The jobs are of one batch, and the request is one operation.
    const changed = jobs.find((_, at) => results[at]?.status === 200)
    if (changed) addOperation(changed, operation)
    // The last first: each job that waits again is put at the front of the queue.
    for (const [at, job] of [...jobs.entries()].toReversed()) settle(job, results[at], queue)
  } catch {
    // The request of each job will report what is wrong.
    if (!signal.aborted) for (const job of jobs) alone.add(job)
  } finally {
    end(controllers, queue)
  }
}

/** Aborts when the network is gone, and when all jobs are cancelled. */
function stopSignal(controllers: readonly AbortController[]): AbortSignal {
  const request = new AbortController()
  const onStop = () => {
    const isCancelled = controllers.every(({ signal }) => signal.reason === 'cancelled')
    if (isCancelled || uploads.hold === 'offline') request.abort()
  }
  for (const { signal } of controllers) signal.addEventListener('abort', onStop)
  return request.signal
}

/** Ends the jobs that have no result. */
function end(controllers: ReadonlyMap<UploadJob, AbortController>, { sending, finish }: Queue): void {
  for (const [job, controller] of [...controllers].toReversed()) {
    if (sending.get(job) !== controller) continue
    // The user, or a lost connection, may have set a new status in the meantime.
    const { aborted, reason } = controller.signal
    if (job.status === 'sending') finish(job, aborted ? reason : 'waiting')
    sending.delete(job)
  }
}

type Result = Awaited<ReturnType<typeof uploadMany>>[number]

function settle(job: UploadJob, result: Result | undefined, queue: Queue): void {
  const { sending, finish } = queue
  if (result?.status === 200) return void queue.arrive(job, job.path)
  const code = (result?.code ?? 'network.lost') as FailureCode
  if (code !== 'path.exists' && queue.reject(job, code)) return
  alone.add(job)
  const stopped = sending.get(job)?.signal
  // It has certainly not arrived.
  sending.delete(job)
  finish(job, stopped?.aborted ? stopped.reason : 'waiting')
}

/** Distributes the bytes that were sent among the jobs, in their order. */
function recordProgressOf(jobs: readonly UploadJob[], sent: number): void {
  let rest = sent
  for (const job of jobs) {
    recordProgress(job, Math.min(job.size, rest))
    rest = Math.max(0, rest - job.size)
  }
}
