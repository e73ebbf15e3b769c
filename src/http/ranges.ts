/** The bytes `[start, end)` of a file. */
export interface Range {
  start: number
  end: number
}

// A request for hundreds of small ranges is an attack (RFC 9110 §17.15). `range-parser` has no such limit: it returns
// all 5,000 ranges of a header, so the checks below would remain.
const maxRanges = 32

/**
 * Parses the ranges that a request asks for, in a file of `size` bytes, in their order. Joins ranges that touch
 * (RFC 9110 §14.2).
 *
 * @returns undefined when the header is ignored and the whole file is sent; an empty list when no range can be
 * satisfied. Ignored for an empty file: some clients send `bytes=0-` with every request, and take 416 for an error
 */
export function parseRanges(header: string | undefined, size: number): Range[] | undefined {
  const [, list] = /^bytes=([\d\s,-]+)$/i.exec(header ?? '') ?? []
  if (!list || size === 0) return undefined
  const specs = list
    .split(',')
    .map((spec) => spec.trim())
    .filter(Boolean)
  if (specs.length === 0 || specs.length > maxRanges) return undefined
  const ranges = specs.map((spec) => parseOne(spec, size))
  if (ranges.includes('malformed')) return undefined
  const joined = join(ranges.filter((range): range is Range => typeof range === 'object'))
  // Requesting the same bytes many times would make a small request cost more than the file (RFC 9110 §17.15).
  return joined.reduce((sum, { start, end }) => sum + end - start, 0) > size ? undefined : joined
}

function parseOne(spec: string, size: number): Range | 'malformed' | 'beyond' {
  const [, from = '', to = ''] = /^(\d*)-(\d*)$/.exec(spec) ?? []
  if (!from && !to) return 'malformed'
  if (!from) {
    const length = Math.min(Number(to), size)
    return length > 0 ? { start: size - length, end: size } : 'beyond'
  }
  if (to && Number(to) < Number(from)) return 'malformed'
  const start = Number(from)
  return start < size ? { start, end: to ? Math.min(Number(to) + 1, size) : size } : 'beyond'
}

function join(ranges: Range[]): Range[] {
  const joined: Range[] = []
  for (const range of ranges) {
    const last = joined.at(-1)
    if (last && range.start <= last.end && range.end >= last.start) {
      last.start = Math.min(last.start, range.start)
      last.end = Math.max(last.end, range.end)
    } else {
      joined.push({ ...range })
    }
  }
  return joined
}
