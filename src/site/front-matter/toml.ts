import { parse, stringify, TomlDate, type TomlTable, type TomlValue } from 'smol-toml'
import { entryOf } from '#src/core/lookup.ts'
import {
  type FieldValue,
  isDateText,
  type ParsedSource,
  removeWhole,
  SourceFault,
  type SourceField,
} from './field.ts'
import { findSpans, type TomlSpan } from './toml-spans.ts'

/**
 * Parses front matter in TOML. The parser gives no positions, so `findSpans` finds the source of each field.
 *
 * @throws SourceFault.
 */
export function parseToml(source: string, { eol }: { eol: string }): ParsedSource {
  const values = tableOf(source)
  const { spans, end } = findSpans(source)
  const fields = spans.map((span) => fieldOf(source, span, values))
  const seen = new Set(fields.map(({ name }) => name))
  const others = Object.entries(values).filter(([name]) => !seen.has(name))
  return {
    fields: [...fields, ...others.map(([name, value]) => tableField(name, value))],
    values,
    remove: (names) => removeWhole(fields, names),
    add(added) {
      const gap = end > 0 && source[end - 1] !== '\n' ? eol : ''
      const lines = added.map(({ name, value, isDate }) => {
        const key = /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
        return `${key} = ${literalOf(value, isDate)}${eol}`
      })
      return { start: end, end, text: gap + lines.join('') }
    },
  }
}

function tableOf(source: string): TomlTable {
  try {
    return parse(source)
  } catch (error) {
    throw new SourceFault((error as Error).message.split('\n')[0])
  }
}

function fieldOf(
  source: string,
  { name, start, end, valueStart, valueEnd }: TomlSpan,
  values: TomlTable,
): SourceField {
  const literal = source.slice(valueStart, valueEnd)
  return {
    name,
    ...shownOf(entryOf(values, name), literal),
    valueRange: { start: valueStart, end: valueEnd },
    whole: { start, end },
    write: (value, isDate) => {
      const isLiteral = literal.startsWith("'") && !literal.startsWith("'''")
      if (typeof value === 'string' && isLiteral && /^[^'\p{C}]*$/u.test(value)) return `'${value}'`
      return literalOf(value, isDate)
    },
  }
}

function shownOf(value: TomlValue | undefined, literal: string): Pick<SourceField, 'kind' | 'value'> {
  if (typeof value === 'boolean') return { kind: 'boolean', value }
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'number', value }
  if (typeof value === 'string') return { kind: 'text', value }
  if (value instanceof TomlDate) return { kind: isDateText(literal) ? 'date' : 'other', value: literal }
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isList ? { kind: 'list', value } : { kind: 'other', value: literal }
}

/** @throws RangeError for a table that is nested too deeply. */
function textOf(name: string, value: TomlValue): string {
  try {
    return stringify({ [name]: value }).trim()
  } catch (error) {
    // The parser reads what the other half of the library refuses to write.
    throw new RangeError('the table is nested too deeply', { cause: error })
  }
}

/** A table, which has no range here: it is shown, and edited in the text. */
function tableField(name: string, value: TomlValue): SourceField {
  const nowhere = { start: -1, end: -1 }
  const shown = { kind: 'other' as const, value: textOf(name, value) }
  return { name, ...shown, valueRange: nowhere, whole: nowhere, write: () => '' }
}

function literalOf(value: FieldValue, isDate: boolean): string {
  if (Array.isArray(value)) return `[${value.map((one) => JSON.stringify(one)).join(', ')}]`
  if (typeof value !== 'string') return JSON.stringify(value)
  return isDate && isDateText(value) ? value : tomlString(value)
}

/** A basic string. JSON and TOML have the same escapes for these characters, but TOML has no DEL without one. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f')
}
