import { subtitleName } from '#src/files/media-type.ts'

/**
 * Turns a subtitle file into WebVTT, which browsers understand: SubRip and (Advanced) SubStation Alpha are rewritten,
 * WebVTT stays as it is.
 *
 * @param name tells the format by its extension
 */
export function toWebVtt(name: string, bytes: Uint8Array): string {
  const text = decode(bytes).replace(/\r\n?/g, '\n')
  const [, format] = subtitleName.exec(name) ?? []
  if (format?.toLowerCase() === 'vtt') return text
  return `WEBVTT\n\n${format?.toLowerCase() === 'srt' ? fromSubRip(text) : fromSubStation(text)}`
}

/** Old subtitle files are often not UTF-8: a mark at the start tells, else what is no UTF-8 is taken for Latin. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const srtTime = /^(\d{1,3}:\d{2}:\d{2})[,.](\d{1,3})\s*-->\s*(\d{1,3}:\d{2}:\d{2})[,.](\d{1,3})/

function fromSubRip(text: string): string {
  const cues: string[] = []
  for (const block of text.split(/\n{2,}/)) {
    const lines = block.split('\n').filter((line) => line !== '')
    const at = lines.findIndex((line) => srtTime.test(line))
    const [, from, fromMs = '', to, toMs = ''] = srtTime.exec(lines[at] ?? '') ?? []
    if (!from || !to) continue
    const times = `${padded(from)}.${fromMs.padEnd(3, '0')} --> ${padded(to)}.${toMs.padEnd(3, '0')}`
    cues.push(
      `${times}\n${lines
        .slice(at + 1)
        .map(cueText)
        .join('\n')}\n`,
    )
  }
  return cues.join('\n')
}

function fromSubStation(text: string): string {
  let columns = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text']
  const cues: { start: string; cue: string }[] = []
  let isEvents = false
  for (const line of text.split('\n')) {
    if (line.startsWith('[')) isEvents = /^\[events\]/i.test(line)
    const [, key = '', value = ''] = /^(Format|Dialogue):\s*(.*)$/i.exec(isEvents ? line : '') ?? []
    if (key.toLowerCase() === 'format')
      columns = value.split(',').map((column) => column.trim().toLowerCase())
    const cue = key.toLowerCase() === 'dialogue' ? dialogue(columns, value) : undefined
    if (cue) cues.push(cue)
  }
  return cues
    .sort((a, b) => (a.start < b.start ? -1 : 1))
    .map(({ cue }) => cue)
    .join('\n')
}

function dialogue(columns: string[], value: string): { start: string; cue: string } | undefined {
  const cells = value.split(',')
  const cell = (name: string) => cells[columns.indexOf(name)]?.trim() ?? ''
  const [start, end] = [cell('start'), cell('end')].map(subStationTime)
  if (!start || !end) return undefined
  // The text is the last column and may itself have commas.
  const words = cells
    .slice(columns.length - 1)
    .join(',')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\\[Nn]/g, '\n')
    .replace(/\\h/g, ' ')
  const lines = words
    .split('\n')
    .map(cueText)
    .filter((line) => line.trim() !== '')
  return lines.length > 0 ? { start, cue: `${start} --> ${end}\n${lines.join('\n')}\n` } : undefined
}

function subStationTime(time: string): string | undefined {
  const [, clock, hundredths = ''] = /^(\d{1,3}:\d{2}:\d{2})[.:](\d{1,3})$/.exec(time) ?? []
  return clock && `${padded(clock)}.${hundredths.padEnd(3, '0')}`
}

function padded(clock: string): string {
  return clock.padStart(8, '0')
}

/** WebVTT cue text: only the tags it knows stay, and nothing may look like the arrow between two times. */
function cueText(line: string): string {
  return line
    .replace(/<(?!\/?[biu]>)[^>]*>/gi, '')
    .replace(/&(?!\w+;)/g, '&amp;')
    .replaceAll('-->', '→')
}
