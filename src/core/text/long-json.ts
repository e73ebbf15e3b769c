import { setImmediate } from 'node:timers/promises'

/** A text up to this length, in UTF-16 code units, becomes JSON in one step: that takes about a millisecond. */
export const shortText = 64 * 1024

/**
 * Writes an object as JSON with a long text as its last field. The text becomes JSON in slices, with a turn of the event
 * loop after each, so that other requests are answered meanwhile.
 *
 * @param json the other fields of the object, as JSON
 * @param pause waits for a turn; tests count the slices with it
 */
export async function withLongText(
  json: string,
  { name, text }: { name: string; text: string },
  pause: () => Promise<unknown> = setImmediate,
): Promise<Buffer> {
  const fields = json.slice(0, -1)
  const separator = fields === '{' ? '' : ','
  const pieces = [Buffer.from(`${fields}${separator}${JSON.stringify(name)}:"`)]
  for (let start = 0; start < text.length; ) {
    const end = endOfSlice(text, start)
    pieces.push(Buffer.from(JSON.stringify(text.slice(start, end)).slice(1, -1)))
    start = end
    await pause()
  }
  pieces.push(Buffer.from('"}'))
  return Buffer.concat(pieces)
}

/** A slice does not end within a surrogate pair, which would be escaped as two characters. */
function endOfSlice(text: string, start: number): number {
  const end = Math.min(start + shortText, text.length)
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}
