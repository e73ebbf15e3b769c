import { ref } from 'valtio'
import { codeOf } from '#web/api/problem-text.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { announceChange } from '#web/shared/changes.ts'
import { page } from '#web/shared/page.ts'
import { parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { isReachable, isReadable, untilReachable, waitFor } from './connectivity.ts'
import { abandon, deliver } from './deliver.ts'
import { plan } from './plan.ts'
import { draw, drawSoon, note, noteBefore } from './progress.ts'
import { type Hold, isOpen, type Job, type UploadStatus, uploads, type Wish } from './uploads-state.ts'
import { watch } from './watch.ts'

/** Files sent at a time: enough to hide the round trips of small ones. */
const atOnce = 3
/** How often a file whose upload breaks off while the server is there is tried again by itself. */
const mostTries = 3
/** From so many pieces on a file goes in pieces: a smaller one is faster in one request. */
const largePieces = 2
/** What may be over in a moment. */
const passing: readonly string[] = ['network.lost', 'request.cut', 'server.busy', 'auth.required']

const bodies = new Map<Job, Blob>()
const choices = new Map<Job, Choice>()
const tries = new Map<Job, { count: number; sent: number }>()
const sending = new Map<Job, AbortController>()
/** Jobs whose sending broke off: the server may have all of the file. */
const broken = new Set<Job>()
let line: Job[] = []
let nextId = 1
let waking = new AbortController()

/** Puts everything into the queue, below `folder` (decoded, closing slash), asks about taken names, and starts. */
export async function enqueue(folder: string, wishes: readonly Wish[]): Promise<void> {
  watch({ hold, release, clear })
  // What failed stays until somebody has seen to it.
  if (!uploads.active) uploads.jobs = ref(uploads.jobs.filter(({ status }) => status === 'failed'))
  const jobs = wishes.map(({ path, body }): Job => {
    const size = body?.size ?? 0
    const inPieces = size >= largePieces * page.TusSettings.chunkSize
    const fresh = { sent: 0, status: 'waiting', code: undefined } as const
    const job: Job = { id: nextId++, path: folder + path, size, inPieces, ...fresh }
    if (body) bodies.set(job, body)
    return job
  })
  uploads.jobs = ref([...uploads.jobs, ...jobs])
  uploads.folded = false
  draw()
  await begin(folder, jobs)
}

/** Stops one upload; what has arrived of it is thrown away by the server. */
export function cancel(job: Job): void {
  const body = bodies.get(job)
  // What is being sent sees to it by itself, once it has stopped.
  if (body && isOpen(job) && job.sent > 0 && !sending.has(job)) void abandon(job.path, body)
  stop(job, 'cancelled')
}

/** Stops everything that has not arrived. */
export function cancelAll(): void {
  waking.abort()
  for (const job of uploads.jobs) cancel(job)
}

/** Stops one upload until it is resumed. What does not go in pieces then starts from its beginning. */
export function pause(job: Job): void {
  stop(job, 'paused')
}

/** Goes on with one that was paused. */
export function resume(job: Job): void {
  if (job.status !== 'paused') return
  job.status = 'waiting'
  line.unshift(job)
  pump()
}

/** Sends nothing more until `release`; what was being sent will start from its beginning, or from its last piece. */
export function hold(why: Hold): void {
  uploads.hold = why
  waking.abort()
  for (const job of sending.keys()) stop(job, 'waiting')
  draw()
  if (why === 'offline') void wakeWhenReachable()
}

/** Goes on after a hold. */
export function release(): void {
  waking.abort()
  uploads.hold = undefined
  pump()
}

/** Goes on with everything, also with what was paused one by one. */
export function resumeAll(): void {
  for (const job of uploads.jobs) resume(job)
  release()
}

/** Tries again what failed or was stopped; names that are taken are asked about again. */
export async function retry(jobs: readonly Job[]): Promise<void> {
  const again = jobs.filter(({ status }) => status === 'failed' || status === 'cancelled')
  for (const job of again) {
    Object.assign(job, { status: 'waiting', sent: 0, code: undefined })
    choices.delete(job)
    tries.delete(job)
  }
  draw()
  await begin('/', again)
}

/** Empties the queue and the panel, and stops what is under way. */
export function clear(): void {
  cancelAll()
  for (const known of [bodies, choices, tries, broken]) known.clear()
  line = []
  uploads.jobs = ref([])
  draw()
}

async function begin(folder: string, jobs: readonly Job[]): Promise<void> {
  const found = await plan(folder, jobs, (job) => bodies.get(job))
  for (const job of jobs) {
    if (job.status !== 'waiting') continue
    const choice = found?.get(job)
    if (choice) choices.set(job, choice)
    // Who walks away from the question wants nothing of it; trying again asks again.
    if (!found) job.status = 'cancelled'
    else if (choice === 'skip') job.status = 'skipped'
    else line.push(job)
  }
  draw()
  pump()
}

function pump(): void {
  while (sending.size < atOnce && !uploads.hold) {
    const job = line.shift()
    if (!job) break
    if (job.status === 'waiting' && !sending.has(job)) void send(job)
  }
  drawSoon()
}

async function send(job: Job): Promise<void> {
  const controller = new AbortController()
  sending.set(job, controller)
  Object.assign(job, { status: 'sending', code: undefined })
  const { signal } = controller
  try {
    const [body, choice] = [bodies.get(job), choices.get(job)]
    const onProgress = (sent: number) => note(job, sent)
    const onResume = (sent: number) => noteBefore(job, sent)
    const wasBroken = broken.has(job)
    // A second time the whole way would be lost again where the network is that bad.
    job.inPieces ||= wasBroken && job.size > page.TusSettings.chunkSize
    const { path: wanted, inPieces } = job
    const path = await deliver({
      ...{ path: wanted, body, choice, wasBroken, inPieces, signal, onProgress, onResume },
    })
    if (path) arrive(job, path)
    else finish(job, 'skipped')
  } catch (error) {
    if (!signal.aborted) await fail(job, error, signal)
  } finally {
    // What a person, or the loss of the connection, has made of it meanwhile.
    if (signal.aborted) finish(job, signal.reason as UploadStatus)
    sending.delete(job)
    pump()
  }
}

function arrive(job: Job, path: string): void {
  job.path = path
  note(job, job.size)
  bodies.delete(job)
  finish(job, 'done')
  announceChange(parentOf(path))
}

/** A refusal is told; when the connection is gone, or the session, the job waits until it is back. */
async function fail(job: Job, error: unknown, signal: AbortSignal): Promise<void> {
  const code = codeOf(error)
  // A refusal of an earlier session may arrive after the next sign-in.
  if (code === 'auth.required' && !session.user) return hold('signed-out')
  job.code = code
  if (code === 'hook.after') announceChange(parentOf(job.path)) // the file is there
  const body = bodies.get(job)
  if (!passing.includes(code)) return finish(job, 'failed')
  if (body && !(await isReadable(body))) {
    job.code = 'file.unreadable'
    return finish(job, 'failed')
  }
  if (!(await isReachable())) return signal.aborted ? undefined : hold('offline')
  const count = countTry(job)
  if (count >= (job.inPieces ? page.TusSettings.retryCount : mostTries)) return finish(job, 'failed')
  await waitFor(1000 * count, signal)
  finish(job, 'waiting')
}

/** How often in a row `job` has broken off. What comes further with each try is no failure. */
function countTry(job: Job): number {
  const before = tries.get(job)
  const count = before && job.sent <= before.sent ? before.count + 1 : 1
  tries.set(job, { count, sent: job.inPieces ? job.sent : job.size })
  return count
}

/** Takes `job` out of what is going on, if it still is, and leaves it as `status`. */
function stop(job: Job, status: UploadStatus): void {
  const controller = sending.get(job)
  if (controller) controller.abort(status)
  else if (isOpen(job)) finish(job, status)
}

function finish(job: Job, status: UploadStatus): void {
  job.status = status
  if (status === 'done') broken.delete(job)
  // Also when no progress was reported: of a small file, the answer alone may be lost.
  else if (sending.has(job)) broken.add(job)
  if ((status === 'waiting' || status === 'paused') && !job.inPieces) job.sent = 0
  if (status === 'waiting') line.unshift(job)
  drawSoon()
}

async function wakeWhenReachable(): Promise<void> {
  waking = new AbortController()
  const { signal } = waking
  await untilReachable(signal)
  if (!signal.aborted) release()
}
