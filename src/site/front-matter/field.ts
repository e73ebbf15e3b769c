import type { FrontMatterField } from '#contract/publish.ts'

/** One field at the top level of the front matter, and where its parts are in the source. */
export interface SourceField extends FrontMatterField {
  /** The range of the value, without comments behind it. */
  valueRange: { start: number; end: number }
  /** The range of the whole field with its line ends; in JSON without the commas around it. */
  whole: { start: number; end: number }
  /** Writes another value in the style of this one. */
  write(value: FieldValue, isDate: boolean): string
}

/** A value that the form can edit. */
export type FieldValue = string | number | boolean | readonly string[]

/** The parsed source of front matter. */
export interface ParsedSource {
  fields: SourceField[]
  /** All values, to check that a change has changed only what it should. */
  values: Readonly<Record<string, unknown>>
  /** Removes fields. */
  remove(names: ReadonlySet<string>): Edit[]
  /** Adds fields. `removed` are the names of those that are removed at the same time. */
  add(added: readonly NewField[], removed: ReadonlySet<string>): Edit
}

/** Replaces a range of the source. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** A field that does not exist yet. */
export interface NewField {
  name: string
  value: FieldValue
  isDate: boolean
}

/** Removes the fields with their whole ranges. */
export function removeWhole(fields: readonly SourceField[], names: ReadonlySet<string>): Edit[] {
  return fields.filter(({ name }) => names.has(name)).map(({ whole }) => ({ ...whole, text: '' }))
}

/** Why the source cannot be parsed. */
export class SourceFault extends Error {}

/** A date or a time as YAML and TOML write it: RFC 3339, also without a time, seconds or zone, and with spaces. */
const date = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?: ?([Zz]|[+-]\d{2}:?\d{2}))?)?$/

/** Whether a text is a date or a time, which is written without quotes. */
export function isDateText(text: string): boolean {
  return date.test(text)
}

/**
 * Reads a date of the front matter. Undefined: it is not a date.
 *
 * @param isLocal whether a time without a zone is in the zone of the server; otherwise in UTC, as Hugo reads it
 */
export function dateOf(text: string, isLocal = false): number | undefined {
  const found = date.exec(text)
  if (!found) return undefined
  const [, day = '', time = '', zone = ''] = found
  const colon = zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase()
  const at = Date.parse(`${day}T${time || '00:00:00'}${colon || (isLocal ? '' : 'Z')}`)
  return Number.isNaN(at) ? undefined : at
}
