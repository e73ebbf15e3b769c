import fc from 'fast-check'
import type { JsonSchema } from '#src/server/openapi/schemas.ts'
import { hostileText, plausibleValues, type Text } from './values.ts'

/** JSON text in pieces. Some pieces are filled in only when it is sent. */
export type JsonText = readonly Text[]

interface Grammar {
  /** The operation that the body is for. */
  call: string
  /** The named schemas of the document. */
  shapes: Readonly<Record<string, JsonSchema>>
}

/** Text that is a JSON value of `schema`, or nearly one, or something else. */
export function bodyOf(schema: JsonSchema, grammar: Grammar): fc.Arbitrary<JsonText> {
  const value = nearly(schema, '', grammar)
  return fc.oneof(
    { weight: 12, arbitrary: value },
    { weight: 1, arbitrary: hostileValue },
    { weight: 1, arbitrary: value.map((text) => ['\ufeff', ...text]) },
    { weight: 1, arbitrary: value.map((text) => [...text, '}']) },
    { weight: 1, arbitrary: value.map((text) => text.slice(0, -1)) },
  )
}

/** A value of a schema; occasionally a hostile one instead. */
function nearly(schema: JsonSchema, name: string, grammar: Grammar): fc.Arbitrary<JsonText> {
  return fc.oneof(
    { weight: 14, arbitrary: validOf(schema, name, grammar) },
    { weight: 1, arbitrary: hostileValue },
  )
}

function validOf(schema: JsonSchema, name: string, grammar: Grammar): fc.Arbitrary<JsonText> {
  const { $ref, anyOf, const: only, enum: words, type } = schema as Keywords
  if ($ref) return validOf(grammar.shapes[$ref.split('/').at(-1) ?? ''] ?? {}, name, grammar)
  if (anyOf) return fc.oneof(...anyOf.map((each) => validOf(each, name, grammar)))
  if (only !== undefined) return fc.constant([JSON.stringify(only)])
  if (words) return fc.constantFrom(...words).map((word) => [JSON.stringify(word)])
  if (type === 'object') return objectOf(schema, grammar)
  if (type === 'array') return arrayOf(schema as Keywords, name, grammar)
  return scalarOf(schema as Keywords, name, grammar)
}

interface Keywords {
  $ref?: string
  anyOf?: JsonSchema[]
  const?: unknown
  enum?: unknown[]
  type?: string
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  required?: string[]
  properties?: Record<string, JsonSchema>
}

function scalarOf(
  { type, minimum, maximum }: Keywords,
  name: string,
  { call }: Grammar,
): fc.Arbitrary<JsonText> {
  if (type === 'boolean') return fc.boolean().map((value) => [String(value)])
  if (type === 'null') return fc.constant(['null'])
  if (type === 'integer' || type === 'number') {
    const min = minimum ?? -2
    // Ids are small because there are few users, so that requests hit the same ones.
    if (name === 'id') return fc.integer({ min: 1, max: 4 }).map((value) => [String(value)])
    const small = fc.integer({ min, max: Math.max(min, Math.min(maximum ?? 12, 12)) })
    return small.map((value) => [String(value)])
  }
  return fc.oneof(...plausibleValues(name, call), { weight: 1, arbitrary: hostileText }).map(quoted)
}

function quoted(text: Text): JsonText {
  return typeof text === 'string' ? [JSON.stringify(text)] : ['"', text, '"']
}

function arrayOf({ items = {}, minItems = 0, maxItems = 4 }: Keywords, name: string, grammar: Grammar) {
  const lengths = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) }
  return fc
    .array(nearly(items, name, grammar), lengths)
    .map((values): JsonText => ['[', ...values.flatMap((value, at) => [at > 0 ? ',' : '', ...value]), ']'])
}

function objectOf(schema: JsonSchema, grammar: Grammar): fc.Arbitrary<JsonText> {
  const { properties = {}, required = [] } = schema as Keywords
  const own = Object.entries(properties).map(([key, each]) => {
    const pair = nearly(each, key, grammar).map((value): JsonText => [`${JSON.stringify(key)}:`, ...value])
    // Few fields at once: an object with all of its fields would be refused because of one of them.
    return fc.option(pair, { freq: required.includes(key) ? 20 : 2, nil: undefined })
  })
  const more = fc.array(fc.oneof(hostilePair, ...own), { maxLength: 1 })
  return fc.tuple(fc.tuple(...own), fc.option(more, { freq: 3, nil: [] })).map(([pairs, extra]): JsonText => {
    const all = [...pairs, ...extra].filter((pair) => pair !== undefined && pair !== null)
    return ['{', ...all.flatMap((pair, at) => [at > 0 ? ',' : '', ...pair]), '}']
  })
}

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const hostileValue: fc.Arbitrary<JsonText> = fc
  .oneof(
    fc.constantFrom(...'null [] {} true "" -1 0 -0 1.5 1e999 -1e999 1e-400 NaN'.split(' ')),
    fc.constantFrom(
      ...'2147483648 9007199254740993 123456789012345678901234567890 {"__proto__":{"admin":true}}'.split(' '),
    ),
    fc.constantFrom(
      ...'{"constructor":{"prototype":{"admin":true}}} {"length":1e9} [[[[]]]] {"a":1,"a":2}'.split(' '),
    ),
    fc.constantFrom(
      deep('[', ']', 2000),
      deep('{"a":', '}', 2000),
      '"\\ud800"',
      '"\\u0000"',
      `"${'x'.repeat(5000)}"`,
    ),
    hostileText.map((text) => JSON.stringify(text)),
  )
  .map((text) => [text])

const hostilePair: fc.Arbitrary<JsonText> = fc
  .tuple(hostileText, hostileValue)
  .map(([key, value]) => [`${JSON.stringify(key)}:`, ...value])
