import type { Preferences } from '#contract/users.ts'

/** The midnight `daysAgo` days before the day of `nowMs`, in the device's time zone. A day may have 23 or 25 hours. */
export function startOfDay(nowMs: number, daysAgo = 0): number {
  const day = new Date(nowMs)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - daysAgo)
  return day.getTime()
}

/**
 * The midnight at which the week of `nowMs` began, or the week that was `weeksAgo` before it.
 *
 * @param firstDay the first day of the week; 0 is Sunday
 */
export function startOfWeek(nowMs: number, firstDay: number, weeksAgo = 0): number {
  const daysSince = (new Date(nowMs).getDay() - firstDay + 7) % 7
  return startOfDay(nowMs, daysSince + 7 * weeksAgo)
}

const days = { sunday: 0, monday: 1, saturday: 6 } as const

// Unicode CLDR 48, weekData: the regions whose week does not begin on Monday. For browsers without `getWeekInfo`.
const sundayRegions =
  'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW'
const saturdayRegions = 'AE AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY'

interface WeekLocale extends Intl.Locale {
  getWeekInfo?(): { firstDay: number }
}

/**
 * The first day of the week: the chosen one, else that of the page's language. 0 is Sunday.
 *
 * @param tag the page's language. The region of the browser's language decides if this one has none: `en-GB` for `en`
 */
export function firstDayOfWeek(
  chosen: Preferences['firstDay'],
  tag: string,
  browser: readonly string[] = navigator.languages,
): number {
  if (chosen) return days[chosen]
  const isKnown = tag.includes('-')
  const regional = isKnown ? tag : browser.find((one) => one.startsWith(`${tag}-`))
  const locale = localeOf(regional) ?? localeOf(tag)
  // `getWeekInfo` counts from Monday, 1, to Sunday, 7.
  const info = locale?.getWeekInfo?.()
  if (info) return info.firstDay % 7
  const region = locale?.maximize().region ?? ''
  if (sundayRegions.split(' ').includes(region)) return 0
  return saturdayRegions.split(' ').includes(region) ? 6 : 1
}

function localeOf(tag: string | undefined): WeekLocale | undefined {
  try {
    return tag ? new Intl.Locale(tag) : undefined
  } catch {
    return undefined // a browser may list invalid tags
  }
}
