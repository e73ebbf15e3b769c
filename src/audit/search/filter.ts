import { Problem } from '#src/core/problem.ts'
import { normalizePath, rootPath } from '#src/files/paths/user-path.ts'

/** Which records are wanted. Missing fields do not matter. */
export interface AuditFilter {
  user?: string | undefined
  /** Relative to the served folder. Also matches everything below it. */
  path?: string | undefined
  kind?: string | undefined
  /** Only these kinds. */
  kinds?: readonly string[] | undefined
  address?: string | undefined
  outcome?: string | undefined
  /** Milliseconds since 1970, inclusive. */
  from?: number | undefined
  /** Milliseconds since 1970, exclusive. */
  to?: number | undefined
}

/** The filters of a query. */
export type FilterQuery = Omit<AuditFilter, 'from' | 'to' | 'kinds'> & {
  from?: string | undefined
  to?: string | undefined
}

/** Reads the filters of a query. Empty ones do not matter. @throws Problem `request.invalid`, `path.invalid`. */
export function parseFilter({ from, to, path, ...rest }: FilterQuery): AuditFilter {
  const texts = Object.entries(rest).filter(([key, text]) => textKeys.includes(key) && text)
  return {
    ...Object.fromEntries(texts),
    // The root matches every record, also those without paths.
    ...(path && normalizePath(path).path !== rootPath && { path: normalizePath(path).path }),
    ...(from && { from: parseTime('from', from) }),
    ...(to && { to: parseTime('to', to) }),
  }
}

const textKeys = ['user', 'kind', 'address', 'outcome']

// RFC 3339 §5.6. A date alone is the beginning of its day in UTC.
const timeFormat = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d))?$/

function parseTime(field: string, text: string): number {
  // In a query, a plus sign means a space.
  const written = text.replace(/ (\d\d:\d\d)$/, '+$1').toUpperCase()
  const time = timeFormat.test(written) ? Date.parse(written.replace(' ', 'T')) : Number.NaN
  if (Number.isNaN(time))
    throw new Problem('request.invalid', {
      field: `querystring.${field}`,
      reason: 'is not a time of RFC 3339',
    })
  return time
}
