import { setImmediate } from 'node:timers/promises'
import { subtitleName } from '#src/files/listing/entry.ts'
import { escapeUnknownTags, toCueText } from './subtitle-text.ts'

// After this many characters, other work gets a turn. They take a few milliseconds, whatever they are.
const charsPerTurn = 32 * 1024
// The cost of a line besides its length, in characters.
const lineCost = 8

/**
 * Receives the lines of a file with their line ends, and returns WebVTT. A line that is too long comes in pieces. All
 * pieces but the last have the ending undefined.
 */
interface Converter {
  take(line: string, ending: string | undefined): void
  end(): string
}

/**
 * Converts a subtitle file to WebVTT, which browsers understand. Rewrites SubRip and (Advanced) SubStation Alpha, and
 * keeps valid WebVTT unchanged. Takes linear time for any input, and yields to other work meanwhile.
 *
 * @param name the extension of the name selects the format
 */
export async function toWebVtt(name: string, bytes: Uint8Array): Promise<string> {
  const [, format = ''] = subtitleName.exec(name.toLowerCase()) ?? []
  const converter = format === 'vtt' ? checkedWebVtt() : format === 'srt' ? fromSubRip() : fromSubStation()
  const text = decode(bytes)
  let done = 0
  for (const [, line = '', ending] of text.matchAll(/([^\r\n]{0,16384})(?:(\r\n?|\n|$)|)/g)) {
    converter.take(line, ending)
    done += line.length + lineCost
    if (done < charsPerTurn) continue
    done = 0
    await setImmediate()
  }
  return converter.end()
}

/**
 * Old subtitle files are often not UTF-8. A byte order mark selects UTF-16. Bytes that are not UTF-8 are read as
 * Windows-1252.
 */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const srtTime = /^\ufeff?(\d{1,3}:\d{2}:\d{2})[,.](\d{1,3})\s*-->\s*(\d{1,3}:\d{2}:\d{2})[,.](\d{1,3})/

function fromSubRip(): Converter {
  const cues: string[] = []
  let cue: string[] = []
  return {
    take(line) {
      const times = cue.length > 0 ? undefined : subRipTimes(line)
      if (times) cue = [times]
      else if (line === '') close()
      else if (cue.length > 0) cue.push(toCueText(line))
    },
    end() {
      close()
      return `WEBVTT\n\n${cues.join('\n')}`
    },
  }
  function close() {
    if (cue.length > 0) cues.push(`${cue.join('\n')}\n`)
    cue = []
  }
}

function subRipTimes(line: string): string | undefined {
  const [, from, fromMs = '', to, toMs = ''] = srtTime.exec(line) ?? []
  if (!from || !to) return undefined
  return `${padded(from)}.${fromMs.padEnd(3, '0')} --> ${padded(to)}.${toMs.padEnd(3, '0')}`
}

/** The columns of a line in `[Events]`. The text is the last column and may contain commas. */
interface Columns {
  start: number
  end: number
  text: number
}

function fromSubStation(): Converter {
  const cues: { start: string; cue: string }[] = []
  let columns: Columns = { start: 1, end: 2, text: 9 }
  let isEvents = false
  return {
    take(line) {
      if (/^\ufeff?\[/.test(line)) isEvents = /^\ufeff?\[events\]/i.test(line)
      const [key = ''] = (isEvents && /^(format|dialogue):/i.exec(line)) || []
      if (key === '') return
      const cells = line.slice(key.length).split(',')
      if (key.toLowerCase() === 'format:') columns = columnsOf(cells)
      else cues.push(...dialogue(columns, cells))
    },
    end() {
      const sorted = cues.sort((a, b) => (a.start < b.start ? -1 : Number(a.start > b.start)))
      return `WEBVTT\n\n${sorted.map(({ cue }) => cue).join('\n')}`
    },
  }
}

function columnsOf(cells: string[]): Columns {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  return { start: names.indexOf('start'), end: names.indexOf('end'), text: names.length - 1 }
}

/** The cue of a line; empty if the line has no times or no text. */
function dialogue(columns: Columns, cells: string[]): { start: string; cue: string }[] {
  const [start, end] = [columns.start, columns.end].map((at) => subStationTime(cells[at]?.trim() ?? ''))
  if (!start || !end) return []
  const lines = withoutOverrides(cells.slice(columns.text).join(','))
    .replaceAll('\\h', ' ')
    .split(/\\[Nn]/)
    .map(toCueText)
    .filter((line) => line.trim() !== '')
  return lines.length > 0 ? [{ start, cue: `${start} --> ${end}\n${lines.join('\n')}\n` }] : []
}

/** Removes style overrides in `{…}`. An unclosed brace is text. */
function withoutOverrides(text: string): string {
  let left = ''
  let from = 0
  for (;;) {
    const open = text.indexOf('{', from)
    const close = open < 0 ? -1 : text.indexOf('}', open)
    if (close < 0) return (left + text.slice(from)).trim()
    left += text.slice(from, open)
    from = close + 1
  }
}

function subStationTime(time: string): string | undefined {
  const [, clock, hundredths = ''] = /^(\d{1,3}:\d{2}:\d{2})[.:](\d{1,3})$/.exec(time) ?? []
  return clock && `${padded(clock)}.${hundredths.padEnd(3, '0')}`
}

function padded(clock: string): string {
  return clock.padStart(8, '0')
}

/**
 * Checks WebVTT and escapes unknown tags. Comments, styles and the header stay, because browsers do not show them. A
 * line with an arrow ends them, because it starts a cue for a browser (WebVTT §6.1).
 */
function checkedWebVtt(): Converter {
  const pieces: string[] = []
  let aside = /^\ufeff?WEBVTT(?![^ \t])/
  let isBegin = true
  let isAside = false
  return {
    take(line, ending) {
      if (isBegin) isAside = aside.test(line)
      // In a line that comes in pieces, the arrow may be split.
      if (line.includes('-->') || ending === undefined) isAside = false
      isBegin = line === ''
      aside = /^(NOTE|STYLE|REGION)(?![^ \t])/
      pieces.push((isAside ? line : escapeUnknownTags(line)) + (ending ?? ''))
    },
    end: () => pieces.join(''),
  }
}
