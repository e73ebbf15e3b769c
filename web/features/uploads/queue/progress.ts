import { i18n } from '@lingui/core'
import { ref } from 'valtio'
import { createSpeedMeter } from './speed.ts'
import { isOpen, type Job, uploads } from './uploads-state.ts'

/** Minimum time between two updates of the shown progress, in milliseconds. */
const updateMs = 100

const meter = createSpeedMeter()
let sentBytes = 0
let drawing: ReturnType<typeof setTimeout> | undefined

/** Records that `sent` bytes of `job` have been sent. */
export function note(job: Job, sent: number): void {
  const now = Math.min(sent, job.size)
  // Bytes that are sent again count, because the rate is that of the network.
  sentBytes += Math.max(0, now - job.sent)
  job.sent = now
  drawSoon()
}

/** Records that `sent` bytes of `job` had arrived before. They do not count for the rate. */
export function noteBefore(job: Job, sent: number): void {
  job.sent = Math.min(sent, job.size)
  drawSoon()
}

/** Schedules an update of the shown state. */
export function drawSoon(): void {
  drawing ??= setTimeout(draw, updateMs)
}

/** Updates the shown state from the jobs at once. */
export function draw(): void {
  clearTimeout(drawing)
  drawing = undefined
  const counted = uploads.jobs.filter(({ status }) => status !== 'skipped' && status !== 'cancelled')
  uploads.jobs = ref([...uploads.jobs])
  uploads.total = counted.reduce((sum, job) => sum + job.size, 0)
  uploads.sent = counted.reduce((sum, job) => sum + job.sent, 0)
  uploads.active = counted.some(isOpen)
  uploads.percent = uploads.active && uploads.total > 0 ? percentOf(uploads.sent / uploads.total) : ''
  if (!uploads.active) uploads.hold = undefined
  const isMoving = uploads.active && !uploads.hold
  if (isMoving) meter.note(sentBytes)
  else meter.reset()
  uploads.rate = isMoving ? meter.rate() : undefined
}

/** Whole percent, rounded down: 100 % means that everything has arrived. */
function percentOf(share: number): string {
  const percent = Math.floor(share * 100) / 100
  return new Intl.NumberFormat(i18n.locale, { style: 'percent' }).format(percent)
}
