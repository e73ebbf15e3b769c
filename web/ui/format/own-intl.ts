// Fetched only if the browser's Intl lacks the language of the page. It imports no other part of the page, so that the
// bundler does not split the first load in two.
import { type Format, formats } from '../../../locales/formats.ts'

type Formatter = (...given: never[]) => string | undefined

const replaced = new Set<string>()

/**
 * Makes Intl format numbers, sizes, percentages, times and names of languages in the language `tag`, for the options
 * that the page uses. All other options keep the browser's behaviour.
 */
export function extendIntl(tag: string): void {
  const format = formats.get(tag)
  if (!format || replaced.has(tag)) return
  replaced.add(tag)
  const { NumberFormat, RelativeTimeFormat, DateTimeFormat, DisplayNames } = Intl
  const rules = new Intl.PluralRules(tag)
  const pick = (patterns: Record<string, string>, value: number) => {
    const all = new Map(Object.entries(patterns))
    return all.get(rules.select(value)) ?? all.get('other') ?? '{0}'
  }
  const parts = (value: number, options: Intl.NumberFormatOptions) =>
    new NumberFormat('en', options).formatToParts(value)
  const plain = (value: number, options: Intl.NumberFormatOptions) =>
    withSeparators(parts(value, options), format)

  Object.assign(Intl, {
    NumberFormat: wrap(NumberFormat, tag, (options: Intl.NumberFormatOptions) => {
      const { style = 'decimal', unit = '', unitDisplay = 'short', ...rest } = options
      const patterns = new Map(Object.entries(format.units)).get(`${unit} ${unitDisplay}`)
      if (style === 'decimal') return (value: number) => plain(value, rest)
      if (style === 'percent')
        return (value: number) => format.percent.replace('{0}', plain(value, { ...rest, style }))
      if (style !== 'unit' || !patterns) return undefined
      // The plural form depends on the rounded number: 1,234,567 may be written as 1,235,000.
      return (value: number) => pick(patterns, rounded(parts(value, rest))).replace('{0}', plain(value, rest))
    }),
    RelativeTimeFormat: wrap(RelativeTimeFormat, tag, (options: Intl.RelativeTimeFormatOptions) => {
      return (value: number, unit: string) => {
        const { past, future, words } = new Map(Object.entries(format.ago)).get(unit) ?? noWords
        const word = options.numeric === 'auto' && new Map(Object.entries(words)).get(String(value))
        const patterns = value < 0 || Object.is(value, -0) ? past : future
        return word || pick(patterns, Math.abs(value)).replace('{0}', plain(Math.abs(value), {}))
      }
    }),
    DateTimeFormat: wrap(DateTimeFormat, tag, (options: Intl.DateTimeFormatOptions) => {
      const { dateStyle, timeStyle, ...others } = options
      if (dateStyle !== 'medium' || timeStyle !== 'short' || Object.keys(others).length > 0) return undefined
      return (value?: number | Date) => dateText(new Date(value ?? Date.now()), format)
    }),
    DisplayNames: wrap(
      DisplayNames,
      tag,
      ({ type }: Intl.DisplayNamesOptions) => {
        const names = new Map(Object.entries(format.languages))
        const native = new DisplayNames(tag, { type })
        return type === 'language' ? (code: string) => names.get(code) ?? native.of(code) : undefined
      },
      'of',
    ),
  })
}

const noWords: Format['ago'][string] = { past: {}, future: {}, words: {} }

/**
 * Wraps the constructor `native`. Its formatters for `tag` get the method that `own` returns for their options;
 * undefined keeps the browser's method.
 */
function wrap<Options extends object, Native extends object>(
  native: Native,
  tag: string,
  own: (options: Options) => Formatter | undefined,
  method = 'format',
): Native {
  return new Proxy(native, {
    construct(target, given: unknown[], newTarget) {
      const made: object = Reflect.construct(target as never, given, newTarget)
      const [locales, options = {}] = given
      const [first] = [locales].flat()
      const format = first === tag ? own(options as Options) : undefined
      return format ? Object.defineProperty(made, method, { value: format }) : made
    },
  })
}

/** The absolute value of a number given in parts. */
function rounded(parts: readonly Intl.NumberFormatPart[]): number {
  const digits = (part: string) => parts.flatMap(({ type, value }) => (type === part ? value : [])).join('')
  return Number(`${digits('integer')}.${digits('fraction')}`)
}

/** Joins the English parts of a number, without its unit, with the separators of a language. */
function withSeparators(
  parts: readonly Intl.NumberFormatPart[],
  { group, decimal, minus, leastLeading }: Format,
): string {
  const digits = parts
    .filter(({ type }) => type === 'integer')
    .reduce((sum, { value }) => sum + value.length, 0)
  const isGrouped = digits >= 3 + leastLeading
  return parts
    .map(({ type, value }) => {
      if (type === 'group') return isGrouped ? group : ''
      if (type === 'decimal') return decimal
      if (type === 'minusSign') return minus
      return type === 'integer' || type === 'fraction' ? value : ''
    })
    .join('')
}

/** Date and time of day in the time zone of the device. */
function dateText(date: Date, { date: pieces, months, days, hours, dayPeriods }: Format): string {
  const hour = date.getHours()
  const fields = new Map([
    ['{year}', String(date.getFullYear())],
    ['{month}', months[date.getMonth()]],
    ['{day}', days[date.getDate() - 1]],
    ['{hour}', hours[hour]],
    ['{minute}', String(date.getMinutes()).padStart(2, '0')],
    ['{dayPeriod}', dayPeriods[hour]],
  ])
  return pieces.map((piece) => fields.get(piece) ?? piece).join('')
}
