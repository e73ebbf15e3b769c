import { Problem } from '#src/core/problem.ts'
import { parseTime } from '#src/core/text/rfc3339.ts'
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
    ...(from && { from: timeOf('from', from) }),
    ...(to && { to: timeOf('to', to) }),
  }
}

const textKeys = ['user', 'kind', 'address', 'outcome']

function timeOf(field: string, text: string): number {
  const time = parseTime(text)
  if (time === undefined)
    throw new Problem('request.invalid', {
      field: `querystring.${field}`,
      reason: 'is not a time of RFC 3339',
    })
  return time
}
