/** The parts of the list of recent files. */
export type Period = 'today' | 'yesterday' | 'week' | 'earlier'

/** The part of a time, by the days of the device's time zone. Both times in milliseconds. */
export function periodOf(timeMs: number, nowMs: number): Period {
  if (timeMs >= startOfDay(nowMs, 0)) return 'today'
  if (timeMs >= startOfDay(nowMs, 1)) return 'yesterday'
  return timeMs >= startOfDay(nowMs, 6) ? 'week' : 'earlier'
}

/** The midnight `daysAgo` days before the day of `nowMs`. A day may have 23 or 25 hours. */
function startOfDay(nowMs: number, daysAgo: number): number {
  const day = new Date(nowMs)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - daysAgo)
  return day.getTime()
}
