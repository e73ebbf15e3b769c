import { i18n } from '@lingui/core'
import { ref } from 'valtio'
import { formatPercent } from '#web/ui/format/format.ts'
import { recordEndedBatches } from './batches.ts'
import { createSpeedMeter } from './speed.ts'
import { isUnfinished, type UploadJob, uploads } from './uploads-state.ts'

/** Minimum time between two updates of the shown progress, in milliseconds. */
const updateMs = 100

const meter = createSpeedMeter()
let sentBytes = 0
let drawing: ReturnType<typeof setTimeout> | undefined

/** Records that `sent` bytes of `job` have been sent. */
export function recordProgress(job: UploadJob, sent: number): void {
  const now = Math.min(sent, job.size)
  // Bytes that are sent again count, because the rate is that of the network.
  sentBytes += Math.max(0, now - job.sent)
  job.sent = now
  updateSoon()
}

/** Records that `sent` bytes of `job` had arrived before. They do not count for the rate. */
export function recordResumed(job: UploadJob, sent: number): void {
  job.sent = Math.min(sent, job.size)
  updateSoon()
}

/** Schedules an update of the shown state. */
export function updateSoon(): void {
  drawing ??= setTimeout(updateShownState, updateMs)
}

/** Updates the shown state from the jobs at once. */
export function updateShownState(): void {
  clearTimeout(drawing)
  drawing = undefined
  recordEndedBatches()
  const counted = uploads.jobs.filter(({ status }) => status !== 'skipped' && status !== 'cancelled')
  uploads.jobs = ref([...uploads.jobs])
  uploads.total = counted.reduce((sum, job) => sum + job.size, 0)
  uploads.sent = counted.reduce((sum, job) => sum + job.sent, 0)
  uploads.isActive = counted.some(isUnfinished)
  const tenths = uploads.total > 0 ? Math.floor((uploads.sent / uploads.total) * 10) : 0
  uploads.percent = uploads.isActive && uploads.total > 0 ? percentOf(tenths / 10) : ''
  if (!uploads.isActive) uploads.hold = undefined
  const isMoving = uploads.isActive && !uploads.hold
  if (isMoving) meter.record(sentBytes)
  else meter.reset()
  uploads.rate = isMoving ? meter.rate() : undefined
}

/** Whole percent, rounded down: 100 % means that everything has arrived. */
export function percentOf(share: number): string {
  const percent = Math.floor(share * 100) / 100
  return formatPercent(percent, i18n.locale)
}
