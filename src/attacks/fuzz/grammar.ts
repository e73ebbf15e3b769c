import fc from 'fast-check'
import type { OpenApi } from '#src/server/openapi/document.ts'
import type { Operation, Parameter } from '#src/server/openapi/shapes.ts'
import type { UserName } from '../world.ts'
import { bodyOf, type JsonText } from './json.ts'
import { heavyText, hostileText, plausibleValues, rawPath, type Text } from './values.ts'

/** One call of the OpenAPI document. */
export interface Call extends Operation {
  method: string
  path: string
}

/** A request whose learned values are filled in when it is sent. */
export interface Step {
  user: UserName
  call: string
  method: string
  /** The address in pieces: literal pieces of the document, and values to be encoded. */
  address: readonly (string | { value: Text })[]
  query: readonly (readonly [name: string, value: Text])[]
  headers: readonly (readonly [name: string, value: Text])[]
  body: JsonText | undefined
}

/** Every call of the document, except those that return the document itself, and events, whose response never ends. */
export function callsOf(document: OpenApi): Call[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !['describe', 'docs', 'receiveEvents'].includes(operationId))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  )
}

/** Requests of these users to all calls of the document: valid, nearly valid and hostile ones. */
export function aStep(document: OpenApi, people: readonly UserName[]): fc.Arbitrary<Step> {
  return fc.oneof(
    ...callsOf(document).map((call) => ({
      weight: weightOf(call),
      arbitrary: stepOf(call, document, people),
    })),
  )
}

/** Calls with more inputs are tried more often, and so are calls that change something, which affects later calls. */
function weightOf({ method, parameters = [], requestBody }: Call): number {
  if (parameters.length === 0 && !requestBody) return 1
  return (requestBody?.content['application/json'] ? 6 : 3) + (method === 'GET' ? 0 : 2)
}

function stepOf(call: Call, document: OpenApi, people: readonly UserName[]): fc.Arbitrary<Step> {
  const { operationId, parameters = [] } = call
  const isPublic = call.security.length === 0
  return fc.record({
    user: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...people.filter((user) => user !== '')) },
      { weight: isPublic ? 9 : 1, arbitrary: fc.constant<UserName>('') },
    ),
    call: fc.constant(operationId),
    method: fc.oneof(
      { weight: 40, arbitrary: fc.constant(call.method) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'PROPFIND'),
      },
    ),
    address: addressOf(call),
    query: valuesOf(
      call,
      parameters.filter((one) => one.in === 'query'),
    ),
    headers: headersOf(call),
    body: bodyFor(call, document),
  })
}

function addressOf(call: Call): fc.Arbitrary<Step['address']> {
  const pieces = call.path.split(/(\{\w+\})/).filter(Boolean)
  const filled = pieces.map((piece): fc.Arbitrary<Step['address'][number]> => {
    const parameter = (call.parameters ?? []).find(({ name }) => piece === `{${name}}`)
    if (!parameter) return fc.constant(piece)
    const value = fc.oneof(...anyValue(call, parameter)).map((value) => ({ value }))
    return parameter.name === 'path' ? fc.oneof({ weight: 15, arbitrary: value }, ...rawPaths) : value
  })
  return fc.tuple(...filled)
}

const rawPaths = rawPath.map(({ arbitrary }) => ({ weight: 1, arbitrary: arbitrary.map(String) }))

/** Values for a parameter: by its name, by its schema, and hostile ones. */
function anyValue({ operationId }: Call, { name, schema }: Parameter) {
  const { type, enum: words } = schema as { type?: string; enum?: string[] }
  const number = [{ weight: 8, arbitrary: fc.oneof(fc.integer({ min: 1, max: 4 }).map(String), learnedId) }]
  const known =
    type === 'integer'
      ? number
      : words
        ? [{ weight: 8, arbitrary: fc.constantFrom(...words) }]
        : plausibleValues(name, operationId)
  return [...known, { weight: 1, arbitrary: hostileText as fc.Arbitrary<Text> }]
}

const learnedId: fc.Arbitrary<Text> = fc.record({ learned: fc.constant('id' as const), at: fc.nat(20) })

/** Some of the parameters, each once or, rarely, twice. */
function valuesOf(call: Call, parameters: readonly Parameter[]): fc.Arbitrary<[string, Text][]> {
  const each = parameters.map((parameter) => {
    const pair = fc
      .oneof(...anyValue(call, parameter))
      .map((value): [string, Text] => [parameter.name, value])
    return fc.option(pair, { freq: parameter.required ? 20 : 2, nil: undefined })
  })
  const doubled =
    each.length > 0
      ? fc.array(fc.oneof(...each), { maxLength: 1 })
      : fc.constant<([string, Text] | undefined)[]>([])
  return fc
    .tuple(fc.tuple(...each), fc.option(doubled, { freq: 3, nil: [] }))
    .map(([own, more]) => [...own, ...more].filter((pair) => pair !== undefined && pair !== null))
}

const types = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'multipart/form-data; boundary=x',
]

function headersOf(call: Call): fc.Arbitrary<[string, Text][]> {
  const { parameters = [], requestBody } = call
  const own = valuesOf(
    call,
    parameters.filter((one) => one.in === 'header'),
  )
  const [usual = 'application/json'] = Object.keys(requestBody?.content ?? {})
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...types) },
  )
  const accept = fc.constantFrom(
    'application/problem+json, */*;q=0.5',
    'application/problem+json, */*;q=0.5',
    'text/plain',
  )
  return fc.tuple(own, type, accept).map(([own, type, accept]) => {
    const sent: [string, Text][] = requestBody ? [['content-type', type]] : []
    return [...own, ...sent, ['accept', accept]]
  })
}

function bodyFor(
  { operationId, requestBody }: Call,
  { components }: OpenApi,
): fc.Arbitrary<JsonText | undefined> {
  if (!requestBody)
    return fc.option(fc.constantFrom(['{}'], ['x'], ['{"current_password":"x"}']), {
      freq: 3,
      nil: undefined,
    })
  const schema = requestBody.content['application/json']?.schema
  const shapes = components.schemas as Parameters<typeof bodyOf>[1]['shapes']
  const form = [
    '--x\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\nhello\r\n--x--\r\n',
  ]
  const bytes = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom<JsonText>(['hello'], [''], ['x'.repeat(3000)], form) },
    { weight: 1, arbitrary: fc.constant<JsonText>([heavyText]) },
  )
  const body = schema ? bodyOf(schema, { call: operationId, shapes }) : bytes
  return fc.option(body, { freq: 20, nil: undefined })
}
