import { startOfDay, startOfWeek } from '#web/ui/format/calendar.ts'

/** The parts of the list of recent files. */
export type Period = 'today' | 'yesterday' | 'week' | 'lastWeek' | 'earlier'

/**
 * The part of a time, by the days of the device's time zone. Both times in milliseconds.
 *
 * @param firstDay the first day of the week; 0 is Sunday
 */
export function periodOf(timeMs: number, nowMs: number, firstDay: number): Period {
  if (timeMs >= startOfDay(nowMs)) return 'today'
  if (timeMs >= startOfDay(nowMs, 1)) return 'yesterday'
  if (timeMs >= startOfWeek(nowMs, firstDay)) return 'week'
  return timeMs >= startOfWeek(nowMs, firstDay, 1) ? 'lastWeek' : 'earlier'
}
