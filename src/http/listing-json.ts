import {
  type Coding,
  compressSync,
  createGzipParts,
  minCompressedBytes,
} from '#src/core/zlib/content-coding.ts'
import type { FolderFacts, ListingEncoder } from '#src/entries/list.ts'
import type { ListResult, ListStart } from '#src/files/listing/list-folder.ts'
import type { CompressedAnswer, ListingFrame } from '#src/files/listing/list-task.ts'
import type { MemoryBudget } from '#src/files/space/memory-budget.ts'

/** The JSON of a listing, or a part of it. Compressed if it has a coding. */
export interface CodedBody {
  body: Buffer
  coding?: Coding
}

/**
 * Encodes a listing as the JSON of a `Listing`.
 *
 * @param how.codings the codings that the client accepts, best first; empty: the answer must not be compressed
 * @param how.room reserves memory for the answer
 * @param how.start receives the beginning of a large answer while the rest is read; the result is then the rest
 */
export function listingJson({
  codings,
  room,
  start,
}: {
  codings: readonly Coding[]
  room: Pick<MemoryBudget, 'listing'>
  start(beginning: CodedBody): void
}): ListingEncoder<CodedBody> {
  const reserve = createReservation(room)
  return (folder) => {
    const frame = frameOf(folder)
    return {
      compressed: codings.length > 0 ? { codings, frame } : undefined,
      start({ items, sizeBytes, coding, ...numbers }) {
        reserve(sizeBytes)
        start(codedBody(coding ? [items] : [openingOf(frame, numbers), items], coding))
      },
      end(rest, sent) {
        const answer = bodyOf(rest, { frame, sent })
        reserve(answer.body.length)
        return answer
      },
    }
  }
}

/** Reserves memory for a listing: first for its estimated size, then for what its real size exceeds that by. */
function createReservation(room: Pick<MemoryBudget, 'listing'>): (bytes: number) => void {
  let reserved = 0
  return (bytes) => {
    if (bytes <= reserved) return
    room.listing(bytes - reserved)
    reserved = bytes
  }
}

/** The whole answer, or its rest after `sent` bytes of items. */
function bodyOf(
  result: ListResult,
  { frame, sent }: { frame: ListingFrame; sent: number | undefined },
): CodedBody {
  if (result.coding) return codedBody([result.items], result.coding)
  if (sent === undefined) return codedBody([openingOf(frame, result), result.items, closing])
  const separator = Buffer.from(sent > 0 && result.items.length > 0 ? ',' : '')
  return codedBody([separator, result.items, closing])
}

/** The JSON around the items, which are JSON already. */
function frameOf({ facts, sorting, view }: FolderFacts): ListingFrame {
  const before = JSON.stringify({ kind: 'listing', ...facts, type: '' }).slice(0, -1)
  const after = JSON.stringify({ sorting, ...(view && { view }) }).slice(1, -1)
  return { before, after: `,${after},"items":[` }
}

function codedBody(parts: Uint8Array[], coding?: Coding): CodedBody {
  return { body: Buffer.concat(parts), ...(coding && { coding }) }
}

/** The text of a listing before its items. */
function openingOf(
  { before, after }: ListingFrame,
  { numDirs, numFiles }: Pick<ListResult, 'numDirs' | 'numFiles'>,
): Buffer {
  return Buffer.from(`${before},"numDirs":${numDirs},"numFiles":${numFiles}${after}`)
}

/** The text of a listing after its items. */
const closing = Buffer.from(']}')

/**
 * Compresses a listing in the thread that has made its text. So it uses no more threads than listings do, and the main
 * thread receives the small result only.
 *
 * The size of the answer is no secret (BREACH, CVE-2013-3587): the answer holds names and dates of one folder, but no
 * token, password or link. The request needs a header that no other site can make a browser send, so an
 * attacker cannot repeat it with the session of a user. An answer that contains a token of a visitor is not compressed.
 */
export function createListingCompressor({ codings, frame }: CompressedAnswer) {
  // Only gzip has parts that can be sent early. The first entries of a large folder are worth more than a better coding.
  const gzip = codings.includes('gzip') ? createGzipParts() : undefined
  let sentItems: number | undefined
  return {
    /** Compresses the beginning of a large listing. Undefined: the client accepts no coding that can be begun early. */
    start:
      gzip &&
      ((start: ListStart): ListStart => {
        sentItems = start.items.length
        const text = Buffer.concat([openingOf(frame, start), start.items])
        const { items, coding } = coded(gzip(text, false), 'gzip')
        const sizeBytes = Math.ceil((start.sizeBytes * items.length) / text.length)
        return { ...start, items, coding, sizeBytes }
      }),

    /** Compresses the whole listing, or what follows its beginning. Leaves a small one as it is. */
    finish(rest: ListResult): ListResult {
      if (gzip && sentItems !== undefined) {
        const separator = Buffer.from(sentItems > 0 ? ',' : '')
        // Not joined before: another copy of a large text would need as much memory again.
        const parts = rest.items.length > 0 ? [separator, rest.items] : []
        const sent = parts.filter(({ length }) => length > 0).map((part) => gzip(part, false))
        return { ...rest, ...coded(Buffer.concat([...sent, gzip(closing, true)]), 'gzip') }
      }
      const [best] = codings
      const text = Buffer.concat([openingOf(frame, rest), rest.items, closing])
      if (!best || text.length <= minCompressedBytes) return rest
      return { ...rest, ...coded(compressSync(text, best), best) }
    },
  }
}

/** Copies the bytes, so that they can be sent to another thread: small buffers share one piece of memory. */
function coded(bytes: Buffer, coding: Coding) {
  return { items: new Uint8Array(bytes), coding }
}
