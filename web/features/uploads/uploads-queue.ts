import { ref } from 'valtio'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { upload } from '#web/api/upload.ts'
import { announceChange } from '#web/app/changes.ts'
import { parentOf } from '#web/app/paths.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { decide, forgetDecision } from './conflicts.ts'
import { freeName } from './free-name.ts'
import { createMeter } from './meter.ts'
import { type Job, type UploadStatus, uploads, type Wish } from './uploads-state.ts'

/** Files sent at a time: enough to hide the round trips of small ones. */
const atOnce = 3

const meter = createMeter()
const bodies = new Map<number, Blob>()
const aborts = new Map<number, AbortController>()
let nextId = 1
let running = 0
let drawing: ReturnType<typeof setTimeout> | undefined

/** Puts everything into the queue, below `folder` (decoded, closing slash), and starts. */
export function enqueue(folder: string, wishes: readonly Wish[]): void {
  if (!uploads.active) clear()
  const jobs = wishes.map(({ path, body }): Job => {
    const id = nextId++
    if (body) bodies.set(id, body)
    const size = body?.size ?? 0
    return { id, path: folder + path, size, sent: 0, status: 'waiting', code: undefined }
  })
  uploads.jobs = ref([...uploads.jobs, ...jobs])
  uploads.folded = false
  draw()
  pump()
}

/** Stops one upload; what has arrived of it is thrown away by the server. */
export function cancel(id: number): void {
  const job = uploads.jobs.find((one) => one.id === id)
  if (job?.status === 'waiting') finish(job, 'cancelled')
  aborts.get(id)?.abort()
}

/** Stops everything that has not arrived. */
export function cancelAll(): void {
  for (const { id, status } of uploads.jobs) if (status === 'waiting' || status === 'sending') cancel(id)
}

/** Tries one again that failed or was stopped. */
export function retry(id: number): void {
  const job = uploads.jobs.find((one) => one.id === id)
  if (!job) return
  Object.assign(job, { status: 'waiting', sent: 0, code: undefined })
  draw()
  pump()
}

/** Empties the panel. Only when nothing is under way. */
export function clear(): void {
  bodies.clear()
  forgetDecision()
  meter.reset()
  Object.assign(uploads, { jobs: ref([]), total: 0, sent: 0, rate: undefined, active: false })
}

function pump(): void {
  while (running < atOnce) {
    const job = uploads.jobs.find((one) => one.status === 'waiting')
    if (!job) break
    running++
    job.status = 'sending'
    void send(job).finally(() => {
      running--
      pump()
    })
  }
  draw()
}

async function send(job: Job): Promise<void> {
  const controller = new AbortController()
  aborts.set(job.id, controller)
  try {
    const done = await deliver(job, controller.signal)
    finish(job, done ? 'done' : 'skipped')
    if (done) announceChange(parentOf(job.path))
  } catch (error) {
    job.code = codeOf(error)
    finish(job, job.code === 'network.aborted' ? 'cancelled' : 'failed')
  } finally {
    aborts.delete(job.id)
  }
}

/** Sends the job, asking what to do when something of that name is there; false when it is left out. */
async function deliver(job: Job, signal: AbortSignal): Promise<boolean> {
  const body = bodies.get(job.id)
  if (!body) {
    await api('POST /api/resources/*', { params: { '*': job.path }, query: {} }, { signal })
    return true
  }
  const wanted = job.path
  const attempt = (path: string, override: boolean) => {
    job.path = path
    return upload({ path, body, override, signal, onProgress: (sent) => progress(job, sent) })
  }
  if (await unlessTaken(attempt(wanted, false))) return true
  progress(job, 0)
  const choice: Choice = await decide(wanted, signal)
  if (choice === 'skip') return false
  if (choice === 'replace') return unlessTaken(attempt(wanted, true))
  for (let n = 1; ; n++) if (await unlessTaken(attempt(freeName(wanted, n), false))) return true
}

/** Whether the upload went through; false when the name is taken. Any other refusal is thrown on. */
async function unlessTaken(attempt: Promise<void>): Promise<boolean> {
  try {
    await attempt
    return true
  } catch (error) {
    if (codeOf(error) === 'path.exists') return false
    throw error
  }
}

function progress(job: Job, sent: number): void {
  job.sent = Math.min(sent, job.size)
  // The bar moves ten times a second at most, however fast the network reports.
  drawing ??= setTimeout(draw, 100)
}

function finish(job: Job, status: UploadStatus): void {
  job.status = status
  if (status === 'done') {
    job.sent = job.size
    bodies.delete(job.id)
  }
  draw()
}

/** Brings the state up to date with the jobs. */
function draw(): void {
  clearTimeout(drawing)
  drawing = undefined
  const counted = uploads.jobs.filter(({ status }) => status !== 'skipped' && status !== 'cancelled')
  uploads.jobs = ref([...uploads.jobs])
  uploads.total = counted.reduce((sum, job) => sum + job.size, 0)
  uploads.sent = counted.reduce((sum, job) => sum + job.sent, 0)
  uploads.active = uploads.jobs.some(({ status }) => status === 'waiting' || status === 'sending')
  meter.note(uploads.sent)
  uploads.rate = uploads.active ? meter.rate() : undefined
}
