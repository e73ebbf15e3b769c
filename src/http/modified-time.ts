import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '#src/core/problem.ts'

// The last time of RFC 3339.
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Reads the modification time that an uploaded file gets.
 *
 * @param field where it was written, for the error
 * @param text a number, possibly with decimals; undefined: the client sends none
 * @param unitMs the unit of the number: 1 for milliseconds, 1000 for seconds
 * @returns milliseconds since 1970; undefined when there is none
 * @throws Problem `request.invalid`.
 */
export function parseModified(field: string, text: string | undefined, unitMs: 1 | 1000): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{1,16}(\.\d{1,9})?$/.test(text) ? Number(text) * unitMs : Number.NaN
  if (ms <= lastMs) return Math.round(ms * 1000) / 1000
  const unit = unitMs === 1 ? 'milliseconds' : 'seconds'
  throw new Problem('request.invalid', { field, reason: `must be a number of ${unit} since 1970` })
}

/** The time in `X-OC-Mtime`, in which clients of ownCloud and Nextcloud send the date of a file, in seconds. */
export function modifiedOfHeaders(headers: IncomingHttpHeaders): number | undefined {
  const name = 'x-oc-mtime'
  const text = headers[name]
  return parseModified(name, typeof text === 'string' ? text : undefined, 1000)
}
