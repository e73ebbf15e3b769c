import type { Stats } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { locales } from '#contract/schema/locales.ts'
import { Problem } from '#src/core/problem.ts'
import { type Coding, codings } from '#src/core/zlib/content-coding.ts'
import { etagOf } from '#src/files/listing/entry.ts'

/** The peer of a connection, and the headers of a request: names and values alternate, repeated ones are not joined. */
export interface Peer {
  /** Its address, independent of headers; undefined: a unix socket. */
  peer: string | undefined
  headers: readonly string[]
}

/**
 * Returns the token in the headers of a request, or undefined if there is none (contract/README.md#sessions). A value
 * of `X-Auth` without three parts is ignored, such as the `null` that an old page sends after signing out
 * (contract/compatibility.md#tokens).
 */
export function bearerToken({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const xAuth = headers['x-auth']
  if (typeof xAuth === 'string' && xAuth.split('.').length === 3) return xAuth
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return bearer
}

/**
 * Returns the token in the cookie `auth`, which clients of File Browser since 2.24 set themselves. Accepts it only if
 * the request comes from a page of this site or from no page; otherwise returns undefined
 * (contract/README.md#sessions). Browsers send the cookie also with requests from other sites, but they report where
 * a request comes from (Fetch Metadata §2; RFC 6455 §10.2 for WebSockets).
 */
export function cookieToken(request: FastifyRequest): string | undefined {
  const { method, headers } = request
  const isUpgrade = headers.upgrade !== undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const isSameOrigin = isUpgrade
    ? headers.origin !== undefined && isOwnOrigin(request)
    : ['same-origin', 'none'].includes(String(headers['sec-fetch-site']))
  if (!isSameOrigin) return undefined
  // Another program on the same host may have set a cookie of the same name: cookies do not distinguish ports.
  const tokens = [...(headers.cookie ?? '').matchAll(/(?:^|;)\s*auth=([\w.-]+)(?=\s*(?:;|$))/g)]
  return tokens.map(([, token]) => token).find((token) => token?.split('.').length === 3)
}

/** The address of the peer of a request, and all its headers, for a proxy that authenticates users. */
export function peerOf({ raw }: Pick<FastifyRequest, 'raw'>): Peer {
  return { peer: raw.socket.remoteAddress, headers: raw.rawHeaders }
}

/**
 * Whether a request comes from a page of this site, or from no page. Browsers send the origin of the page that opens a
 * WebSocket (RFC 6455 §10.2). Its host must be the requested host, as reported by trusted proxies.
 */
export function isOwnOrigin({ headers: { origin }, host }: FastifyRequest): boolean {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const from = new URL(origin)
  // Parsed with the scheme of the page, so that the default port matches whether it is written or not.
  const requested = `${from.protocol}//${host}`
  return URL.canParse(requested) && from.host !== '' && new URL(requested).host === from.host
}

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

/** The codings of a client that the server has, best first; empty: the answer is sent as it is. */
export function acceptedCodings(acceptEncoding: string | string[] | undefined): Coding[] {
  const accepted = String(acceptEncoding ?? '')
  return accepted ? codings.filter((coding) => accepts(accepted, coding)) : []
}

/** Whether `Accept-Encoding` lists a coding with a weight above zero (RFC 9110 §12.5.3). */
export function accepts(accepted: string, coding: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .some(([name, weight = 'q=1']) => name === coding && !/^q=0(\.0*)?$/.test(weight))
}

/**
 * Returns the language of Coffer that sorts names: the nearest one to the user's locale, else to a language in an
 * `Accept-Language` header (RFC 9110 §12.5.4; browsers send the preferred one first), else English.
 *
 * @param locale may be one that Coffer does not have, from a client of File Browser
 */
export function languageOf(locale: string, accepted = ''): string {
  // Limits the work for a header of any length.
  for (const range of `${locale.replaceAll('_', '-')},${accepted.slice(0, 200)}`.toLowerCase().split(',')) {
    const tag = range.split(';', 1)[0]?.trim() ?? ''
    const base = tag.split('-', 1)[0]
    const found =
      locales.find((one) => one === tag) ??
      locales.find((one) => one === base) ??
      locales.find((one) => one.split('-', 1)[0] === base)
    if (found) return found
  }
  return 'en'
}
