import { ApiProblem } from '#web/api/client.ts'
import { chunkSizeFor } from '#web/api/uploads/piece-size.ts'
import { uploadMany } from '#web/api/uploads/upload.ts'
import { page } from '#web/shared/page.ts'
import { addOperation, isSameBatch } from './batches.ts'
import { recordProgress } from './progress.ts'
import { type UploadJob, type UploadStatus, uploads } from './uploads-state.ts'

/** Limits of one request. Its body is below 1 MiB, because many reverse proxies refuse larger ones. */
const most = { files: 100, bytes: 900 * 1024, fileBytes: 128 * 1024 }
/** A request takes about this long, so that a slow network that breaks off loses little. At least `leastBytes` are sent. */
const seconds = 2
const leastBytes = 64 * 1024
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
    sum += job.size
    return sum > maxBytes()
  })
  return full === -1 ? candidates : candidates.slice(0, full)
}

/** The maximum number of bytes in one request. */
function maxBytes(): number {
  const measured = Math.max(leastBytes, (uploads.rate ?? Number.POSITIVE_INFINITY) * seconds)
  return Math.min(most.bytes, chunkSizeFor(page.TusSettings.chunkSize), measured)
}

/** The functions of the queue that a request with several files needs. */
interface Queue extends Known {
  arrive(job: UploadJob, path: string): void
  /** Fails a job that the server has rejected. Returns false if it may be retried. */
  reject(job: UploadJob, error: ApiProblem): boolean
  finish(job: UploadJob, status: UploadStatus): void
}

/**
 * Uploads several jobs in one request. A job that did not arrive, for a reason that a request of its own may overcome,
 * waits again and gets such a request, which asks the user or reports the error. Never throws.
 */
export async function sendBundle(jobs: readonly UploadJob[], queue: Queue): Promise<void> {
  const controllers = begin(jobs, queue)
  const signal = AbortSignal.any([...controllers.values()].map((one) => one.signal))
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
    const changed = jobs.find((_, at) => hasArrived(results[at]))
    if (changed && operation) addOperation(changed, operation)
    // The last first: each job that waits again is put at the front of the queue.
    for (const [at, job] of [...jobs.entries()].toReversed()) settle(job, results[at], queue)
  } catch {
    // The request of each job will report what is wrong, unless the user stopped one of them.
    if (!signal.aborted) for (const job of jobs) alone.add(job)
  } finally {
    end(controllers, queue)
  }
}

function begin(jobs: readonly UploadJob[], { sending }: Queue): ReadonlyMap<UploadJob, AbortController> {
  const controllers = new Map(jobs.map((job) => [job, new AbortController()]))
  for (const [job, controller] of controllers) {
    sending.set(job, controller)
    Object.assign(job, { status: 'sending', code: undefined })
  }
  return controllers
}

/** Ends the jobs that have no result. */
function end(controllers: ReadonlyMap<UploadJob, AbortController>, { sending, finish }: Queue): void {
  for (const [job, controller] of [...controllers].toReversed()) {
    if (sending.get(job) !== controller) continue
    // The user, or a lost connection, has set a new status in the meantime.
    if (controller.signal.aborted) finish(job, controller.signal.reason as UploadStatus)
    else if (job.status === 'sending') finish(job, 'waiting')
    sending.delete(job)
  }
}

type Result = Awaited<ReturnType<typeof uploadMany>>[number]

function hasArrived(result: Result | undefined): boolean {
  return result?.status === 200 || result?.code === 'hook.after'
}

function settle(job: UploadJob, result: Result | undefined, queue: Queue): void {
  const { status = 0, code = 'network.lost', detail = '' } = result ?? {}
  if (status === 200) queue.arrive(job, job.path)
  else if (
    code === 'path.exists' ||
    !queue.reject(job, new ApiProblem(status, code as ApiProblem['code'], detail))
  ) {
    alone.add(job)
    // It has certainly not arrived.
    queue.sending.delete(job)
    queue.finish(job, 'waiting')
  }
}

/** Distributes the bytes that were sent among the jobs, in their order. */
function recordProgressOf(jobs: readonly UploadJob[], sent: number): void {
  let rest = sent
  for (const job of jobs) {
    recordProgress(job, Math.min(job.size, rest))
    rest = Math.max(0, rest - job.size)
  }
}
