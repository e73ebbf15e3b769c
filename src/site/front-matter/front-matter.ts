import { isDeepStrictEqual } from 'node:util'
import type { FrontMatterChange, FrontMatterField, FrontMatterView } from '#contract/publish.ts'
import { Problem } from '#src/core/problem.ts'
import { type FrontMatterBlock, findBlock, lineEndingOf, maxLength } from './block.ts'
import { type FieldValue, type ParsedSource, SourceFault } from './field.ts'
import { parseToml } from './toml.ts'
import { parseYaml } from './yaml.ts'

/**
 * Reads the front matter of a text.
 *
 * @throws Problem `frontmatter.invalid`.
 */
export function readFrontMatter(text: string): FrontMatterView {
  const block = closedBlock(text)
  if (!block) return { format: '', fields: [], bodyStart: 0 }
  const { format, bodyStart } = block
  const fields = parsed(text, block).fields.map(({ name, kind, value }) => ({ name, kind, value }))
  return { format, fields, bodyStart }
}

/**
 * Changes fields of the front matter, one after the other. Everything else stays as it is, byte by byte: comments, order,
 * quotes, line ends. A text without front matter gets some in YAML. After each change the result is parsed again: a
 * change that also changed something else is refused.
 *
 * @throws Problem `frontmatter.invalid`.
 */
export function changeFrontMatter(text: string, changes: readonly FrontMatterChange[]): string {
  const eol = lineEndingOf(text)
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const hasBlock = closedBlock(text) !== undefined || changes.length === 0
  const begun = hasBlock ? text : `${mark}---${eol}---${eol}${text.slice(mark.length)}`
  return changes.reduce(changeField, begun)
}

function changeField(text: string, { name, value, isDate = false }: FrontMatterChange): string {
  const block = closedBlock(text)
  if (!block) throw invalid('it has no end')
  const source = parsed(text, block)
  const edit = editOf(source, { name, value, isDate })
  if (!edit) return text
  const [from, to] = [block.start + edit.start, block.start + edit.end]
  const next = text.slice(0, from) + edit.text + text.slice(to)
  const after = closedBlock(next)
  if (!after || !isOnlyChange(source, parsed(next, after), name, value)) {
    throw invalid(`${name} cannot be changed here; edit the text`)
  }
  return next
}

function editOf(
  source: ParsedSource,
  { name, value, isDate }: { name: string; value: FieldValue | null; isDate: boolean },
): { start: number; end: number; text: string } | undefined {
  const field = source.fields.find((one) => one.name === name)
  if (field && (field.kind === 'other' || field.valueRange.start < 0)) {
    throw invalid(`${name} is not a single value; edit it in the text`)
  }
  if (value === null) return field && { ...field.whole, text: '' }
  if (field) return { ...field.valueRange, text: field.write(value, isDate || field.kind === 'date') }
  const { at, text } = source.insert(name, value, isDate)
  return { start: at, end: at, text }
}

function isOnlyChange(
  before: ParsedSource,
  after: ParsedSource,
  name: string,
  value: FieldValue | null,
): boolean {
  const { [name]: _old, ...rest } = before.values
  const { [name]: made, ...others } = after.values
  if (!isDeepStrictEqual(toPlain(rest), toPlain(others))) return false
  if (value === null) return !Object.hasOwn(after.values, name)
  // A date is compared as text, because TOML has objects for dates.
  const isText = typeof value === 'string' && typeof made !== 'string'
  return isText ? made instanceof Date || made === null : isDeepStrictEqual(made, value)
}

/** A value without the classes of the parsers. */
function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function parsed(text: string, { format, start, end }: FrontMatterBlock): ParsedSource {
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

/**
 * Removes the mark of a draft: `draft: true` becomes false, and Jekyll's `published: false` becomes true. Returns the text
 * unchanged if it has no such mark.
 *
 * @throws Problem `frontmatter.invalid`.
 */
export function publishedText(text: string): string {
  const marks = draftMarks(readFrontMatter(text).fields)
  return marks.length === 0 ? text : changeFrontMatter(text, marks)
}
