import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/** Takes one line; a promise is waited for before the next. Answers false to hear no more. */
export type LineHandler = (line: string) => boolean | Promise<boolean>

// Longer lines come in pieces: nobody's memory depends on what a program prints.
const longestLine = 64 * 1024
// So many lines are told at a stretch before others get their turn.
const stretch = 256

/**
 * Tells what a program prints, line by line, without the line ends, as it comes; bytes that are no UTF-8 become U+FFFD.
 * Ends when the program closes the stream or the stream is cut.
 */
export async function readLines(stream: Readable, hear: LineHandler): Promise<void> {
  let rest = ''
  let told = 0
  const tell = async (line: string) => {
    if (++told % stretch === 0) await setImmediate()
    return hear(line)
  }
  for await (const chunk of untilCut(stream.setEncoding('utf8'))) {
    const lines = cut(rest + chunk)
    rest = lines.pop() ?? ''
    for (const line of lines) if (!(await tell(line.replace(/\r$/, '')))) return
  }
  if (rest) await tell(rest)
}

async function* untilCut(stream: Readable): AsyncGenerator<string> {
  try {
    yield* stream
  } catch {
    // A stream that is cut fails; what came before has been told.
  }
}

/** Lines, the last of which has not ended yet. */
function cut(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length <= longestLine) return [line]
    const count = Math.ceil(line.length / longestLine)
    return Array.from({ length: count }, (_, at) => line.slice(at * longestLine, (at + 1) * longestLine))
  })
}
