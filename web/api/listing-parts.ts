import type { FileView, Item, Listing } from '#contract/resources.ts'

/** Receives the beginning of a long listing, with its first items, while the rest arrives. */
export type OnStart = (start: Listing) => void

// What separates two items in the text of the server. No name contains it, because JSON escapes its quotation marks.
const between = '},{"index":'
// A beginning of about 60 items, more than a window shows; and parts that are parsed without delaying a frame.
const startLength = 16_000
const partLength = 400_000
/** A listing with fewer further items than this arrives too soon to be shown in two steps. */
const minMissing = 500

/**
 * Reads a folder or a file from a response. Parses a long listing while it arrives, and calls `onStart` once for its
 * first items.
 *
 * @throws TypeError when the connection is lost; the reason of an abort.
 */
export async function readParts(response: Response, onStart: OnStart): Promise<Listing | FileView> {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader()
  const decoder = new TextDecoder()
  const parser = createParser(onStart)
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    if (done) return parser.finish(text)
    text = parser.take(text)
  }
}

/** Parses a listing, or another document at once when it is complete. */
function createParser(onStart: OnStart) {
  let start: Listing | undefined
  let items: Item[] = []
  const begin = (listing: Listing) => {
    start = listing
    items = [...listing.items]
    if (listing.numDirs + listing.numFiles - items.length >= minMissing) onStart(listing)
  }
  return {
    /** Parses the complete items at the beginning of `text` if they are many. Returns the rest. */
    take(text: string): string {
      if (text.length < (start ? partLength : startLength)) return text
      const end = text.lastIndexOf(between) + 1
      if (end === 0) return text
      if (start) items.push(...(JSON.parse(`[${text.slice(0, end)}]`) as Item[]))
      else begin(JSON.parse(`${text.slice(0, end)}]}`) as Listing)
      return text.slice(end + 1)
    },
    finish(text: string): Listing | FileView {
      if (!start) return JSON.parse(text) as Listing | FileView
      const rest = JSON.parse(`{"items":[${text}`) as Pick<Listing, 'items'>
      items.push(...rest.items)
      return { ...start, ...rest, items }
    },
  }
}
