import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, Scalar, stringify } from 'yaml'
import {
  type Edit,
  type FieldValue,
  isDateText,
  type NewField,
  type ParsedSource,
  removeWhole,
  SourceFault,
  type SourceField,
} from './field.ts'

/**
 * Parses front matter in YAML or JSON, which is a part of YAML. Uses the ranges of the parser, so that a change replaces
 * only the characters of one value.
 *
 * @throws SourceFault.
 */
export function parseYaml(source: string, { isJson, eol }: { isJson: boolean; eol: string }): ParsedSource {
  if (isJson) refuseOtherThanJson(source)
  const document = parseDocument(source, { prettyErrors: false, strict: !isJson, uniqueKeys: false })
  const [error] = document.errors
  if (error) throw new SourceFault(`${error.message} (character ${error.pos[0]})`)
  const { contents } = document
  if (contents !== null && !isMap(contents)) throw new SourceFault('it is not a list of names and values')
  const pairs = (contents?.items ?? []) as Pair<Node, Node | null>[]
  refuseDuplicates(pairs)
  const fields = pairs.flatMap((pair) => fieldOf(source, pair, { isJson, eol }))
  const values = (document.toJS({ maxAliasCount: 100 }) ?? {}) as Record<string, unknown>
  return {
    fields,
    values,
    remove: (names) => (isJson ? removeFromObject(fields, names) : removeWhole(fields, names)),
    add(added, removed) {
      if (isJson) return addToObject(source, fields, { added, removed, eol })
      const gap = source === '' || source.endsWith('\n') ? '' : eol
      const lines = added.map(
        ({ name, value, isDate }) => `${plainKey(name)}: ${literalOf(value, isDate, false)}${eol}`,
      )
      return { start: source.length, end: source.length, text: gap + lines.join('') }
    },
  }
}

/** Removes fields of a JSON object, each with one of the commas around it. */
function removeFromObject(fields: readonly SourceField[], names: ReadonlySet<string>): Edit[] {
  const firstKept = fields.findIndex(({ name }) => !names.has(name))
  return fields.flatMap(({ name, whole }, at) => {
    if (!names.has(name)) return []
    // Behind a field that stays, the comma in front of the field goes, otherwise the one behind it.
    const isBehind = firstKept >= 0 && firstKept < at
    const start = isBehind ? (fields[at - 1]?.whole.end ?? whole.start) : whole.start
    const end = isBehind ? whole.end : (fields[at + 1]?.whole.start ?? whole.end)
    return [{ start, end, text: '' }]
  })
}

/** Adds fields to a JSON object, behind its last field. */
function addToObject(
  source: string,
  fields: readonly SourceField[],
  { added, removed, eol }: { added: readonly NewField[]; removed: ReadonlySet<string>; eol: string },
): Edit {
  const lines = added.map(
    ({ name, value, isDate }) => `${eol}  ${JSON.stringify(name)}: ${literalOf(value, isDate, true)}`,
  )
  const last = fields.findLast(({ name }) => !removed.has(name))
  const at = last ? last.whole.end : source.indexOf('{') + 1
  return { start: at, end: at, text: last ? `,${lines.join(',')}` : lines.join(',') + eol }
}

/** The parser would compare each name with each other. */
function refuseDuplicates(pairs: readonly Pair<Node, Node | null>[]): void {
  const names = new Set<unknown>()
  for (const { key } of pairs) {
    const name = isScalar(key) ? key.value : undefined
    if (name !== undefined && names.has(name)) throw new SourceFault(`${name} is there twice`)
    names.add(name)
  }
}

/** YAML accepts more than JSON, such as a missing value. */
function refuseOtherThanJson(source: string): void {
  try {
    JSON.parse(source)
  } catch (error) {
    throw new SourceFault((error as Error).message)
  }
}

interface FieldPlace {
  isJson: boolean
  eol: string
}

function fieldOf(source: string, { key, value }: Pair<Node, Node | null>, place: FieldPlace): SourceField[] {
  if (!isScalar(key) || !key.range || !value?.range) return []
  const name = String(key.value)
  const [start, end, behind] = value.range
  const keyStart = key.range[0]
  const text = source.slice(start, end)
  const shown = shownOf(value, text.trim())
  return [
    {
      name,
      ...shown,
      valueRange: { start, end },
      // Only when it is needed: all fields may be in one long line.
      get whole() {
        return place.isJson ? { start: keyStart, end } : linesOf(source, keyStart, behind)
      },
      write: (given, isDate) => written(given, { isDate, node: value, text, source, start, ...place }),
    },
  ]
}

/** The lines of a field. `end` is the end of its value with comments. */
function linesOf(source: string, keyStart: number, end: number): { start: number; end: number } {
  const start = source.lastIndexOf('\n', keyStart - 1) + 1
  if (source[end - 1] === '\n') return { start, end }
  const stop = source.indexOf('\n', Math.max(end - 1, keyStart))
  return { start, end: stop < 0 ? source.length : stop + 1 }
}

function shownOf(node: Node, text: string): Pick<SourceField, 'kind' | 'value'> {
  const other = { kind: 'other' as const, value: text }
  if (isAlias(node) || node.anchor || node.tag) return other
  if (isScalar(node)) return scalarOf(node) ?? other
  if (!isSeq(node) || !node.items.every(isPlainItem)) return other
  return { kind: 'list', value: node.items.map((one) => String(one.value)) }
}

function scalarOf({ value, type }: Scalar): Pick<SourceField, 'kind' | 'value'> | undefined {
  if (typeof value === 'boolean') return { kind: 'boolean', value }
  if (typeof value === 'number') return Number.isFinite(value) ? { kind: 'number', value } : undefined
  if (value === null) return { kind: 'text', value: '' }
  if (typeof value !== 'string') return undefined
  return { kind: type === Scalar.PLAIN && isDateText(value) ? 'date' : 'text', value }
}

function isPlainItem(node: unknown): node is Scalar {
  return (
    isScalar(node) && !node.anchor && !node.tag && ['string', 'number', 'boolean'].includes(typeof node.value)
  )
}

interface Written extends FieldPlace {
  isDate: boolean
  node: Node
  /** The old value as written, and the source with its offset. */
  text: string
  source: string
  start: number
}

function written(value: FieldValue, { isDate, node, text, source, start, isJson, eol }: Written): string {
  // An empty value begins directly behind the colon. The value of a block ends with a line end, which stays.
  const gap = start > 0 && source[start - 1] === ':' ? ' ' : ''
  const tail = /\r?\n[ \t]*$/.exec(text)?.[0] ?? ''
  if (isJson) return gap + literalOf(value, isDate, true) + tail
  if (Array.isArray(value) && isSeq(node) && !node.flow && value.length > 0) {
    const indent = ' '.repeat(start - source.lastIndexOf('\n', start - 1) - 1)
    return value.map((one) => `- ${literalOf(one, false, false)}`).join(eol + indent) + tail
  }
  if (typeof value === 'string' && isScalar(node) && !value.includes('\n')) {
    if (node.type === Scalar.QUOTE_DOUBLE) return JSON.stringify(value)
    if (node.type === Scalar.QUOTE_SINGLE) return `'${value.replaceAll("'", "''")}'`
  }
  return gap + literalOf(value, isDate, false) + tail
}

function literalOf(value: FieldValue, isDate: boolean, isJson: boolean): string {
  if (Array.isArray(value)) return `[${value.map((one) => literalOf(one, false, isJson)).join(', ')}]`
  if (typeof value !== 'string' || isJson) return JSON.stringify(value)
  if (isDate && isDateText(value)) return value
  // In a list in brackets, a comma or bracket ends a plain text.
  const isPlain = /^[\p{L}\p{N}][\p{L}\p{N} ._/-]*$/u.test(value) && !isDateText(value)
  const plain = isPlain ? stringify(value, { lineWidth: 0 }).trimEnd() : JSON.stringify(value)
  return plain
}

function plainKey(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name)
}
