import { type Chapter, idOf, plainLine } from './chapters.ts'

/** A part of a text, and whether it matches a word of the search. */
export interface Piece {
  readonly text: string
  readonly isHit: boolean
}

/** A section of a chapter in which all words of the search occur. */
export interface Result {
  readonly chapter: Chapter
  /** Empty for the text before the first section. */
  readonly heading: string
  /** The id of the heading; empty before the first section. */
  readonly id: string
  /** The line that matches best, or the part of it around the first word. */
  readonly line: readonly Piece[]
}

interface Section extends Omit<Result, 'line'> {
  readonly lines: readonly string[]
}

/** The part of a line that a result shows, in characters, and how much of it is before the first word. */
const shown = { length: 180, before: 60 }

/**
 * Finds the sections that contain all words of `query` in their heading, their text or the title of their chapter, in
 * any case. Results whose headings contain all words are first.
 */
export function searchManual(chapters: readonly Chapter[], query: string): Result[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const found = chapters
    .flatMap(sectionsOf)
    .map((section) => ({ section, rank: rankOf(section, words) }))
    .filter(({ rank }) => rank < none)
  return found.sort((one, other) => one.rank - other.rank).map(({ section }) => resultOf(section, words))
}

const none = 2

/** 0: all words are in the heading, or in the title for the text below it. 1: in the title, the heading and the text. */
function rankOf({ chapter, heading, lines }: Section, words: readonly string[]): number {
  const title = chapter.title.toLowerCase()
  if (hasAll(heading.toLowerCase() || title, words)) return 0
  const text = [heading, ...lines].join(' ').toLowerCase()
  if (!hasAll(`${title} ${text}`, words)) return none
  // A title that has all words is one result, not one for each section.
  return hasAll(title, words) && !hasAll(text, words) ? none : 1
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word))
}

function resultOf({ lines, ...section }: Section, words: readonly string[]): Result {
  const count = (line: string) => words.filter((word) => line.toLowerCase().includes(word)).length
  const best = Math.max(0, ...lines.map(count))
  const line = lines.find((line) => count(line) === best) ?? ''
  return { ...section, line: piecesOf(excerptOf(line, words), words) }
}

/** The part of a line around the first word, cut between words. */
function excerptOf(line: string, words: readonly string[]): string {
  if (line.length <= shown.length) return line
  const places = words.map((word) => line.toLowerCase().indexOf(word)).filter((at) => at >= 0)
  const first = Math.min(line.length, ...places)
  const from = first <= shown.before ? 0 : line.indexOf(' ', first - shown.before) + 1
  const end = from + shown.length
  const to = end >= line.length ? line.length : line.lastIndexOf(' ', end)
  return `${from > 0 ? '… ' : ''}${line.slice(from, to > from ? to : end)}${to < line.length ? ' …' : ''}`
}

/** Splits a text at the words of the search. */
function piecesOf(text: string, words: readonly string[]): Piece[] {
  const lower = text.toLowerCase()
  const pieces: Piece[] = []
  let at = 0
  while (at < text.length) {
    const hits = words
      .map((word) => ({ from: lower.indexOf(word, at), length: word.length }))
      .filter(({ from }) => from >= 0)
      .sort((one, other) => one.from - other.from || other.length - one.length)
    const [hit = { from: text.length, length: 0 }] = hits
    if (hit.from > at) pieces.push({ text: text.slice(at, hit.from), isHit: false })
    if (hit.length > 0) pieces.push({ text: text.slice(hit.from, hit.from + hit.length), isHit: true })
    at = hit.from + hit.length
  }
  return pieces
}

/** The sections of a chapter. Each paragraph, item, row of a table and line of code is one line. */
function sectionsOf(chapter: Chapter): Section[] {
  const sections: (Section & { lines: string[] })[] = [{ chapter, heading: '', id: '', lines: [] }]
  // Every second part is code.
  const parts = chapter.text.split(/^ *```.*$/m)
  for (const line of parts.flatMap((part, at) => (at % 2 === 1 ? codeLines(part) : proseLines(part)))) {
    if (line.heading)
      sections.push({ chapter, heading: plainLine(line.heading), id: idOf(line.heading), lines: [] })
    else sections.at(-1)?.lines.push(line.text)
  }
  return sections
}

interface Line {
  /** Markdown; undefined for other lines than headings. */
  heading?: string | undefined
  text: string
}

function codeLines(part: string): Line[] {
  const lines = part.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => ({ text: line.trim() }))
}

/** Joins the lines of a paragraph. Leaves out the title, the line below the head of a table, and comments. */
function proseLines(part: string): Line[] {
  const joined = part.replace(/(?<=\S)\n(?= *\S)(?! *(?:- |\d+\. |\||#|<!--))/g, ' ')
  const lines = joined
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^# |^\|[-|:]+\|$|^<!--/.test(line))
  return lines.map((line) => ({ heading: /^##+ (.*)$/.exec(line)?.[1], text: plainLine(line) }))
}
