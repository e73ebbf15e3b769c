// RFC 3339 §5.6. A date alone is the beginning of its day in UTC.
const format = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d))?$/

/** Reads a time of RFC 3339. Returns milliseconds since 1970; undefined: the text is not a time. */
export function parseTime(text: string): number | undefined {
  // In a query, a plus sign means a space.
  const written = text.replace(/ (\d\d:\d\d)$/, '+$1').toUpperCase()
  const time = format.test(written) ? Date.parse(written.replace(' ', 'T')) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
