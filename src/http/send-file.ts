import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '#src/access/principal.ts'
import type { Pace } from '#src/core/concurrency/pace.ts'
import { Problem, passes } from '#src/core/problem.ts'
import type { OpenFile } from '#src/entries/open.ts'
import { mediaType } from '#src/files/listing/entry.ts'
import { smallFileBytes } from '#src/files/paths/local-calls.ts'
import type { NormalizedPath } from '#src/files/paths/user-path.ts'
import { fill } from '#src/files/reading/readable-file.ts'
import { send } from '#src/files/reading/send.ts'
import { countDownload } from './count-download.ts'
import { abortWhenRevoked, queueSignal } from './limits.ts'
import { paced } from './paced.ts'
import { abortReply, attachment, hijackReply, inline } from './replies.ts'
import { checkPreconditions, isFresh, isRangeAllowed, parseRanges, type Range } from './request-headers.ts'
import { sendArchive } from './send-archive.ts'

// An uploaded file must not act in the origin of Coffer: no script, no frame, no request
// (contract/README.md#raw-content-and-archives).
const sandbox =
  "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors "
const unframed = { 'content-security-policy': `${sandbox}'none'` }
// The web page of File Browser 2.x shows a PDF in a frame.
const framedBySelf = { 'content-security-policy': `${sandbox}'self'`, 'x-frame-options': 'SAMEORIGIN' }

/**
 * Sends the bytes of an open file, or ranges of it, and closes it.
 *
 * @param pace limits the rate. Undefined: unlimited
 */
export async function sendOpened(
  request: FastifyRequest,
  reply: FastifyReply,
  open: OpenFile,
  pace?: Pace,
): Promise<FastifyReply> {
  try {
    await sendFile(request, reply, { open, pace })
  } finally {
    await open.file.close()
  }
  return reply
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { open, pace }: { open: OpenFile; pace: Pace | undefined },
): Promise<void> {
  const { stats, name, etag } = open
  checkPreconditions(request.headers, stats, name)
  reply.headers({
    etag,
    'last-modified': stats.mtime.toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': isInline(request) ? inline(name) : attachment(name),
    ...(isInline(request) && isPdf(name) ? framedBySelf : unframed),
  })
  if (isFresh(request.headers, stats)) return void (await reply.code(304).send())
  const ranges = isRangeAllowed(request.headers, stats)
    ? parseRanges(request.headers.range, stats.size)
    : undefined
  if (ranges?.length === 0) {
    reply.header('content-range', `bytes */${stats.size}`)
    throw new Problem('request.range')
  }
  await sendBytes(request, reply, { open, ranges, pace })
}

function isPdf(name: string): boolean {
  return mediaType(name) === 'application/pdf'
}

function isInline({ query }: FastifyRequest): boolean {
  return (query as { inline?: string }).inline === 'true'
}

async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { open, ranges, pace }: { open: OpenFile; ranges: Range[] | undefined; pace: Pace | undefined },
): Promise<void> {
  const { parts, tail, headers } = plan(open, ranges, contentType(open.name, isInline(request)))
  reply.code(ranges ? 206 : 200).headers(headers)
  const [first] = parts
  if (request.method !== 'HEAD' && first && !pace && isSmall(parts))
    return sendSmall(request, reply, { open, range: first.range })
  const out = hijackReply(reply)
  if (request.method === 'HEAD') return void out.end()
  abortWhenRevoked(out, () => passes(open.recheck))
  const controller = new AbortController()
  out.once('close', () => controller.abort())
  const body = paced(out, pace, controller.signal)
  try {
    for (const { head, range } of parts) {
      if (head) out.write(head)
      await send(open.file, range, body, controller.signal)
    }
    out.end(tail)
  } catch (error) {
    abortReply(request, out, { error, signal: controller.signal, message: 'a download was interrupted' })
  }
}

function isSmall(parts: readonly { range: Range }[]): boolean {
  const [first] = parts
  return parts.length === 1 && first !== undefined && first.range.end - first.range.start <= smallFileBytes
}

/** Sends a small range in one piece: with its headers, in one system call. */
async function sendSmall(
  request: FastifyRequest,
  reply: FastifyReply,
  { open, range }: { open: OpenFile; range: Range },
): Promise<void> {
  const body = Buffer.allocUnsafe(range.end - range.start)
  try {
    await fill(open.file, body, range.start)
  } catch (error) {
    return abortReply(request, hijackReply(reply), { error, message: 'a download was interrupted' })
  }
  const out = hijackReply(reply)
  out.end(body)
  // A client that does not read keeps the body in the memory of the server.
  if (out.socket?.writableLength) abortWhenRevoked(out, () => passes(open.recheck))
}

/** The parts of the body, in order, and the headers that describe them. */
function plan({ stats: { size } }: OpenFile, ranges: Range[] | undefined, type: string) {
  if (ranges && ranges.length > 1) return multipart(ranges, type, size)
  const [range = { start: 0, end: size }] = ranges ?? []
  const headers = {
    'content-type': type,
    'content-length': range.end - range.start,
    ...(ranges && { 'content-range': contentRange(range, size) }),
  }
  return { parts: [{ head: '', range }], tail: '', headers }
}

// Types that a page may load as code or style. The page's policy allows its own origin, so uploaded files must not
// have these types: with `nosniff`, a text is neither a script nor a style.
const activeTypes = /^\w+\/(x-)?(javascript|ecmascript|css|wasm)$/

// Types that a browser shows as a page. Such a page could imitate Coffer even without scripts, so it is sent as text.
const pageTypes = /^text\/(html|xml)$|^text\/.*(component|xsl)|[/+]xml$|^(multipart|message)\/|hta$|mht/
const svg = 'image/svg+xml'

function contentType(name: string, isInline: boolean): string {
  const known = mediaType(name) ?? 'application/octet-stream'
  const isPage = isInline && known !== svg && pageTypes.test(known)
  const type = isPage || activeTypes.test(known) ? 'text/plain' : known
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

function contentRange({ start, end }: Range, size: number): string {
  return `bytes ${start}-${end - 1}/${size}`
}

/** The body of a response with several ranges (RFC 9110 §14.6). */
function multipart(ranges: Range[], type: string, size: number) {
  const boundary = randomBytes(18).toString('hex')
  const parts = ranges.map((range, at) => ({
    range,
    head:
      `${at ? '\r\n' : ''}--${boundary}\r\n` +
      `Content-Type: ${type}\r\nContent-Range: ${contentRange(range, size)}\r\n\r\n`,
  }))
  const tail = `\r\n--${boundary}--\r\n`
  const length = parts.reduce(
    (sum, { head, range }) => sum + head.length + range.end - range.start,
    tail.length,
  )
  const headers = { 'content-type': `multipart/byteranges; boundary=${boundary}`, 'content-length': length }
  return { parts, tail, headers }
}

/** Sends the bytes of a file, or a folder or a selection as an archive, with the permissions of `person`. */
export async function sendRaw(
  request: FastifyRequest,
  reply: FastifyReply,
  { person, typed }: { person: Principal; typed: NormalizedPath },
): Promise<FastifyReply> {
  const { path } = typed
  if ((request.query as { files?: string }).files) return sendArchive(request, reply, { person, path })
  const { entries } = request.server.services
  const open = await entries
    .open(person, typed, { signal: queueSignal(request, reply) })
    .catch(undefinedForFolder)
  if (!open) return sendArchive(request, reply, { person, path })
  try {
    countDownload(request, reply, { person, what: open.etag, size: open.stats.size, path })
  } catch (error) {
    await open.file.close()
    throw error
  }
  return sendOpened(request, reply, open, person.pace)
}

/** For `.catch`: returns undefined for a folder and rethrows all other errors. */
function undefinedForFolder(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== 'path.folder') throw error
}
