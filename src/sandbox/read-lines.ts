import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/** Handles one line. The next line is read after the promise resolves. Returns false to stop reading. */
export type LineHandler = (line: string) => boolean | Promise<boolean>

// Longer lines are split, so that memory use does not depend on what a program prints.
const maxLineLength = 64 * 1024
// After this many lines, other work of the event loop gets a turn.
const linesPerTurn = 256

/**
 * Passes each line that a program prints to `onLine`, as it comes, without the line ends. Bytes that are not valid
 * UTF-8 become U+FFFD. Ends when the program closes the stream or the stream is destroyed.
 */
export async function readLines(stream: Readable, onLine: LineHandler): Promise<void> {
  let rest = ''
  let count = 0
  const pass = async (line: string) => {
    if (++count % linesPerTurn === 0) await setImmediate()
    return onLine(line)
  }
  for await (const chunk of untilDestroyed(stream.setEncoding('utf8'))) {
    const lines = splitLines(rest + chunk)
    rest = lines.pop() ?? ''
    for (const line of lines) if (!(await pass(line.replace(/\r$/, '')))) return
  }
  if (rest) await pass(rest)
}

async function* untilDestroyed(stream: Readable): AsyncGenerator<string> {
  try {
    yield* stream
  } catch {
    // Reading a destroyed stream throws. All earlier lines have been passed on.
  }
}

/** Splits text into lines. The last line is not complete yet. */
function splitLines(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length <= maxLineLength) return [line]
    const count = Math.ceil(line.length / maxLineLength)
    return Array.from({ length: count }, (_, at) => line.slice(at * maxLineLength, (at + 1) * maxLineLength))
  })
}
