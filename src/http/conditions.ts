import type { Stats } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '#src/core/problem.ts'
import { etagOf } from '#src/files/listing/entry.ts'

/**
 * Returns a function that checks the conditions of a writing request, or undefined if there are none. It takes the
 * stats of the existing file (undefined: none) and throws `path.changed` unless the conditions hold. RFC 9110 §13.1,
 * in the order of §13.2.2.
 */
export function createWritePrecondition(
  headers: IncomingHttpHeaders,
  path: string,
): ((current: Stats | undefined) => void) | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch, 'if-unmodified-since': since } = headers
  if (!match && !noneMatch && !since) return undefined
  return (current) => {
    const holds = match ? hasTag(match, current) : !since || isUnmodified(since, current)
    if (!holds || (noneMatch && hasTag(noneMatch, current))) throw new Problem('path.changed', { path })
  }
}

/**
 * Checks the preconditions of a reading request.
 *
 * @throws Problem `path.changed` unless `If-Match`, or else `If-Unmodified-Since`, holds (RFC 9110 §13.2.2, checked
 * before the other conditions).
 */
export function checkPreconditions(headers: IncomingHttpHeaders, current: Stats, path: string): void {
  createWritePrecondition({ ...headers, 'if-none-match': undefined }, path)?.(current)
}

/** Whether the client already has the current version of the file, so that 304 is enough (RFC 9110 §13.2.2). */
export function isFresh(headers: IncomingHttpHeaders, current: Stats): boolean {
  const noneMatch = headers['if-none-match']
  if (noneMatch) return hasTag(noneMatch, current)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  // An invalid date is ignored (RFC 9110 §13.1.3). Another date is another version, also an earlier one: uploads keep the
  // date of their file.
  return !Number.isNaN(since) && seconds(current) === Math.floor(since / 1000)
}

/** Whether a range may be served: `If-Range` is absent or matches the current version (RFC 9110 §13.1.5). */
export function isRangeAllowed(headers: IncomingHttpHeaders, current: Stats): boolean {
  const condition = headers['if-range']
  if (typeof condition !== 'string') return true
  return condition.startsWith('"')
    ? condition === etagOf(current)
    : seconds(current) === Math.floor(Date.parse(condition) / 1000)
}

function hasTag(list: string, current: Stats | undefined): boolean {
  return current !== undefined && matchesEtag(list, etagOf(current))
}

/** Whether a list of entity tags, or `*`, matches the tag of the current version (RFC 9110 §13.1.1, §13.1.2). */
export function matchesEtag(list: string, tag: string): boolean {
  if (list.trim() === '*') return true
  // A proxy that compresses marks our etag as weak; the version of the file is the same.
  return list.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
}

function isUnmodified(since: string, current: Stats | undefined): boolean {
  const time = Date.parse(since)
  // An invalid date is ignored (RFC 9110 §13.1.4).
  return Number.isNaN(time) || !current || seconds(current) <= Math.floor(time / 1000)
}

function seconds(stats: Stats): number {
  return Math.floor(stats.mtimeMs / 1000)
}
