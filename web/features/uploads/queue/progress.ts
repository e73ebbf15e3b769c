import { i18n } from '@lingui/core'
import { ref } from 'valtio'
import { createSpeedMeter } from './speed.ts'
import { isOpen, type Job, uploads } from './uploads-state.ts'

/** How often what is shown moves at most, in milliseconds, however fast the network reports. */
const stepMs = 100

const meter = createSpeedMeter()
let moved = 0
let drawing: ReturnType<typeof setTimeout> | undefined

/** Notes that `sent` bytes of `job` have left. */
export function note(job: Job, sent: number): void {
  const now = Math.min(sent, job.size)
  // What starts again from its beginning was sent all the same: the rate is that of the network.
  moved += Math.max(0, now - job.sent)
  job.sent = now
  drawSoon()
}

/** Notes that `sent` bytes of `job` had arrived before: they say nothing of the network now. */
export function noteBefore(job: Job, sent: number): void {
  job.sent = Math.min(sent, job.size)
  drawSoon()
}

/** Brings what is shown up to date with the jobs before long. */
export function drawSoon(): void {
  drawing ??= setTimeout(draw, stepMs)
}

/** Brings what is shown up to date with the jobs at once. */
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
  if (isMoving) meter.note(moved)
  else meter.reset()
  uploads.rate = isMoving ? meter.rate() : undefined
}

/** Whole hundredths, rounded down: what says 100 % has arrived. */
function percentOf(share: number): string {
  const percent = Math.floor(share * 100) / 100
  return new Intl.NumberFormat(i18n.locale, { style: 'percent' }).format(percent)
}
