import { isDeepStrictEqual } from 'node:util'
import type { FrontMatterChange, FrontMatterField, FrontMatterView } from '#contract/publish.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { type FrontMatterBlock, findBlock, lineEndingOf, maxLength } from './block.ts'
import {
  type Edit,
  type FieldValue,
  type NewField,
  type ParsedSource,
  SourceFault,
  type SourceField,
} from './field.ts'
import { parseToml } from './toml.ts'
import { parseYaml } from './yaml.ts'

/** A text after changes, and its front matter. */
export interface ChangedText {
  text: string
  view: FrontMatterView
}

/**
 * Reads the front matter of a text, and changes fields of it, all in one step; of several changes of a field, the last one counts. Everything else
 * stays as it is, byte by byte: comments, order, quotes, line ends. A text without front matter gets some in YAML. The
 * result is parsed again: changes that also changed something else are refused.
 *
 * @param parse tests count the work with it
 * @throws Problem `frontmatter.invalid`.
 */
export function changeFrontMatter(
  text: string,
  changes: readonly FrontMatterChange[],
  parse = parseBlock,
): ChangedText {
  const found = closedBlock(text)
  if (changes.length === 0) return { text, view: viewOf(found, found && parse(text, found)) }
  const begun = found ? text : withEmptyBlock(text)
  const block = found ?? closedBlock(begun)
  if (!block) throw invalid('it has no end')
  const before = parse(begun, block)
  const last = new Map(changes.map((change) => [change.name, change]))
  const next = withEdits(begun, block.start, editsOf(before, [...last.values()]))
  if (next === begun) return { text: begun, view: viewOf(block, before) }
  const after = closedBlock(next)
  const result = after && parse(next, after)
  if (!result) throw invalid('it has no end')
  requireOnly(last, before.values, result.values)
  return { text: next, view: viewOf(after, result) }
}

function withEmptyBlock(text: string): string {
  const eol = lineEndingOf(text)
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  return `${mark}---${eol}---${eol}${text.slice(mark.length)}`
}

function viewOf(block: FrontMatterBlock | undefined, source: ParsedSource | undefined): FrontMatterView {
  if (!block || !source) return { format: '', fields: [], bodyStart: 0 }
  const fields = source.fields.map(({ name, kind, value }) => ({ name, kind, value }))
  return { format: block.format, fields, bodyStart: block.bodyStart }
}

function editsOf(source: ParsedSource, changes: readonly FrontMatterChange[]): Edit[] {
  const known = new Map(source.fields.map((field) => [field.name, field]))
  const removed = new Set<string>()
  const added: NewField[] = []
  const edits: Edit[] = []
  for (const { name, value, isDate = false } of changes) {
    const field = known.get(name)
    if (field) requireSingle(field)
    if (value === null) removed.add(name)
    else if (!field) added.push({ name, value, isDate })
    else edits.push({ ...field.valueRange, text: field.write(value, isDate || field.kind === 'date') })
  }
  if (removed.size > 0) edits.push(...source.remove(removed))
  if (added.length > 0) edits.push(source.add(added, removed))
  return edits
}

/** @throws Problem `frontmatter.invalid`. */
function requireSingle({ name, kind, valueRange }: SourceField): void {
  if (kind === 'other' || valueRange.start < 0)
    throw invalid(`${name} is not a single value; edit it in the text`)
}

/** Applies edits, whose ranges begin at `offset` of the text. @throws Problem `frontmatter.invalid` if they overlap. */
function withEdits(text: string, offset: number, edits: readonly Edit[]): string {
  const pieces: string[] = []
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const start = offset + edit.start
    if (start < at) throw notHere('the fields')
    pieces.push(text.slice(at, start), edit.text)
    at = offset + edit.end
  }
  return pieces.join('') + text.slice(at)
}

/** @throws Problem `frontmatter.invalid` unless exactly these changes were made. */
function requireOnly(
  changes: ReadonlyMap<string, FrontMatterChange>,
  before: ParsedSource['values'],
  after: ParsedSource['values'],
): void {
  for (const { name, value } of changes.values()) if (!hasValue(after, name, value)) throw notHere(name)
  const others = (values: ParsedSource['values']) =>
    toPlain(Object.fromEntries(Object.entries(values).filter(([name]) => !changes.has(name))))
  const [only = 'the fields', ...more] = changes.keys()
  if (!isDeepStrictEqual(others(before), others(after))) throw notHere(more.length > 0 ? 'the fields' : only)
}

function hasValue(values: ParsedSource['values'], name: string, value: FieldValue | null): boolean {
  if (value === null) return !Object.hasOwn(values, name)
  const made = entryOf(values, name)
  // A date is compared as text, because TOML has objects for dates.
  const isText = typeof value === 'string' && typeof made !== 'string'
  return isText ? made instanceof Date || made === null : isDeepStrictEqual(made, value)
}

function notHere(what: string): Problem {
  return invalid(`${what} cannot be changed here; edit the text`)
}

/** A value without the classes of the parsers. */
function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/**
 * Parses the source of a block.
 *
 * @throws Problem `frontmatter.invalid`.
 */
export function parseBlock(text: string, { format, start, end }: FrontMatterBlock): ParsedSource {
  const source = text.slice(start, end)
  const eol = lineEndingOf(text)
  try {
    return format === 'toml'
      ? parseToml(source, { eol })
      : parseYaml(source, { isJson: format === 'json', eol })
  } catch (error) {
    // Deeply nested lists exhaust the stack of the parsers. ReferenceError: an alias that would grow too much.
    if (error instanceof SourceFault) throw invalid(error.message, error)
    if (error instanceof RangeError || error instanceof ReferenceError)
      throw invalid('it is nested too deeply', error)
    throw error
  }
}

function invalid(reason: string, cause?: Error): Problem {
  return new Problem('frontmatter.invalid', { reason }, { cause })
}

/** @throws Problem `frontmatter.invalid` for front matter that begins and does not end. */
function closedBlock(text: string): FrontMatterBlock | undefined {
  const block = findBlock(text)
  if (block === 'open') throw invalid(`it has no end, or is longer than ${maxLength / 1024} KiB`)
  return block
}

/** The booleans of YAML 1.1, which generators still read, and texts that Hugo converts. */
const yes = /^(?:true|yes|on|y|t|1)$/i
const no = /^(?:false|no|off|n|f|0)$/i

/** The fields that hide a file: `draft` if it is true, and Jekyll's `published` if it is false. Hugo ignores the case. */
export function draftMarks(fields: readonly FrontMatterField[]): FrontMatterChange[] {
  return fields.flatMap(({ name, value }): FrontMatterChange[] => {
    if (name.toLowerCase() === 'draft' && yes.test(String(value))) return [{ name, value: false }]
    return name === 'published' && no.test(String(value)) ? [{ name, value: true }] : []
  })
}
