import {
  type Coding,
  compressSync,
  createGzipParts,
  minCompressedBytes,
} from '#src/core/zlib/content-coding.ts'
import type { ListResult, ListStart } from '#src/files/listing/list-folder.ts'
import type { CompressedAnswer, ListingFrame } from '#src/files/listing/list-task.ts'

/** The text of a listing before its items. */
export function openingOf(
  { before, after }: ListingFrame,
  { numDirs, numFiles }: Pick<ListResult, 'numDirs' | 'numFiles'>,
): Buffer {
  return Buffer.from(`${before},"numDirs":${numDirs},"numFiles":${numFiles}${after}`)
}

/** The text of a listing after its items. */
export const closing = Buffer.from(']}')

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
