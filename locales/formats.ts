import { locales } from '../src/contract/schema/locales.ts'

/** How a language writes numbers, sizes and times: what the page needs where the browser's `Intl` lacks the language. */
export interface Format {
  decimal: string
  minus: string
  group: string
  /** How many digits a group of thousands must have in front: 2 means 1234 and 12.345. */
  leastLeading: number
  percent: string
  /** Patterns by unit and, behind a space, `long` or `short`. */
  units: Record<string, Patterns>
  /** Patterns of times by unit, and the words for a few of them, as in `yesterday` at -1. */
  ago: Record<string, { past: Patterns; future: Patterns; words: Record<string, string> }>
  /** Literal text, and the names of the fields below. */
  date: string[]
  months: string[]
  days: string[]
  hours: string[]
  /** The part of the day of each hour, as in `PM`. */
  dayPeriods: string[]
  /** Names of languages by tag: those that subtitles are often in. */
  languages: Record<string, string>
}

/** A text with `{0}` for the number, by plural category; `other` is there always. */
type Patterns = Record<string, string>

type Part = { type: string; value: string }

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte', 'hour', 'minute', 'second']
const spans = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const
const named =
  'ar bg bs ca cs da de el en en-GB en-US es es-419 es-ES et eu fa fi fr fr-CA ga gl he hi hr hu id is it ja ka ko lt lv mk ms nb nl ' +
  'nl-BE nn no pl pt pt-BR pt-PT ro ru sk sl sq sr sv sv-SE sw ta th tr uk vi zh zh-CN zh-Hans zh-Hant zh-TW'
const ofNumber = ['integer', 'group', 'decimal', 'fraction']
/** Among these numbers each of the eighteen languages finds all plural categories of whole numbers. */
const samples = [...Array(130).keys(), 1_000_000]

/**
 * What Node knows of each language, by BCP 47 tag. The build writes the values down (`scripts/build/language-formats.ts`), so that the
 * page gets data and no code that asks `Intl`.
 */
export const formats: ReadonlyMap<string, Format> = new Map(
  locales.map((locale) => {
    const [tag = 'en'] = Intl.getCanonicalLocales(locale)
    return [tag, formatOf(tag)] as const
  }),
)

function formatOf(tag: string): Format {
  const parts = new Intl.NumberFormat(tag).formatToParts(12_345_678.9)
  const has = (value: number) => new Intl.NumberFormat(tag).formatToParts(value).some(isGroup)
  return {
    decimal: textOf(parts, 'decimal'),
    // With the invisible mark in front that Arabic has: formatToParts counts it as literal text.
    minus: new Intl.NumberFormat(tag).format(-1).replace('1', ''),
    group: textOf(parts, 'group'),
    leastLeading: has(1234) ? 1 : 2,
    percent: patternOf(new Intl.NumberFormat(tag, { style: 'percent' }).formatToParts(0.5)),
    units: unitsOf(tag),
    ago: Object.fromEntries(spans.map((unit) => [unit, agoOf(tag, unit)])),
    ...dateOf(tag),
    languages: languagesOf(tag),
  }
}

function unitsOf(tag: string): Record<string, Patterns> {
  const made = units.flatMap((unit) =>
    (['long', 'short'] as const).map((unitDisplay) => {
      const format = new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay })
      return [`${unit} ${unitDisplay}`, patternsOf(tag, (value) => format.formatToParts(value))] as const
    }),
  )
  return Object.fromEntries(made)
}

function agoOf(tag: string, unit: Intl.RelativeTimeFormatUnit): Format['ago'][string] {
  const always = new Intl.RelativeTimeFormat(tag, { numeric: 'always' })
  const auto = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const words = [-2, -1, 0, 1, 2].filter((value) => auto.format(value, unit) !== always.format(value, unit))
  return {
    past: patternsOf(tag, (value) => always.formatToParts(-value, unit)),
    future: patternsOf(tag, (value) => always.formatToParts(value, unit)),
    words: Object.fromEntries(words.map((value) => [value, auto.format(value, unit)])),
  }
}

function dateOf(tag: string): Pick<Format, 'date' | 'months' | 'days' | 'hours' | 'dayPeriods'> {
  const format = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  const at = (month: number, day: number, hour: number) =>
    format.formatToParts(Date.UTC(2001, month, day, hour, 34))
  const each = (count: number, type: string, make: (at: number) => Part[]) =>
    Array.from({ length: count }, (_, at) => textOf(make(at), type))
  return {
    date: at(0, 1, 0).map(({ type, value }) => (type === 'literal' ? value : `{${type}}`)),
    months: each(12, 'month', (month) => at(month, 1, 0)),
    days: each(31, 'day', (day) => at(0, day + 1, 0)),
    hours: each(24, 'hour', (hour) => at(0, 1, hour)),
    dayPeriods: each(24, 'dayPeriod', (hour) => at(0, 1, hour)),
  }
}

function languagesOf(tag: string): Record<string, string> {
  const names = new Intl.DisplayNames(tag, { type: 'language' })
  return Object.fromEntries(named.split(' ').map((each) => [each, names.of(each) ?? each]))
}

/** Patterns for whole numbers, those that are the same as `other` left out. */
function patternsOf(tag: string, partsOf: (value: number) => Part[]): Patterns {
  const rules = new Intl.PluralRules(tag)
  const other = patternOf(partsOf(samples.find((value) => rules.select(value) === 'other') ?? 0.5))
  const found: Patterns = {}
  for (const value of samples) {
    const category = rules.select(value)
    const pattern = patternOf(partsOf(value))
    if (pattern !== other) found[category] ??= pattern
  }
  return { ...found, other }
}

function patternOf(parts: readonly Part[]): string {
  const written = parts.map(({ type, value }) => (ofNumber.includes(type) ? '{0}' : value)).join('')
  return written.replace(/(\{0\})+/, '{0}')
}

function textOf(parts: readonly Part[], wanted: string): string {
  return parts.find(({ type }) => type === wanted)?.value ?? ''
}

function isGroup({ type }: Part): boolean {
  return type === 'group'
}
