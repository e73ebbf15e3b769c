import { bodySizes, type Endpoint } from '#contract/schema/endpoint.ts'
import { entryOf } from '#src/core/lookup.ts'
import type { EndpointNote } from './notes/note.ts'
import { type JsonSchema, schemaOf } from './schemas.ts'
import type { Operation, Parameter } from './shapes.ts'

const scopePath =
  'The path relative to the scope: percent-encode each name, and keep the slashes. Empty means the scope itself; a trailing slash means a folder'

/** The parameters in the URL and the headers of an endpoint. `path` is the path in the contract. */
export function parametersOf(endpoint: Endpoint, note: EndpointNote, path: string): Parameter[] {
  return [
    ...namedParameters(endpoint, note),
    ...(path.endsWith('*') ? [pathParameter(note)] : []),
    ...queryParameters(endpoint, note),
    ...headerParameters(note),
  ]
}

function pathParameter({ path, example }: EndpointNote): Parameter {
  const schema = { type: 'string' }
  const details = { description: path ?? scopePath, schema, example: example?.path ?? '' }
  return { name: 'path', in: 'path', required: true, ...details }
}

/** The named path parameters: ids, or one of a few words. */
function namedParameters({ params }: Endpoint, { example }: EndpointNote): Parameter[] {
  const named = properties(params).filter(([name]) => name !== '*')
  return named.map(([name, schema]) => {
    const given = entryOf(example?.named ?? {}, name) ?? example?.path
    const value = schema.type === 'integer' ? Number(given) : given
    return { name, in: 'path', required: true, schema: schemaOf(schema), example: value }
  })
}

function queryParameters({ query }: Endpoint, { example }: EndpointNote): Parameter[] {
  const { required = [] } = (query ?? {}) as { required?: string[] }
  // `auth` is documented as a security scheme.
  const own = properties(query).filter(([name]) => name !== 'auth')
  return own.map(([name, schema]) => {
    const given = entryOf(example?.query ?? {}, name)
    const sample = given === undefined ? {} : { example: given }
    return { name, in: 'query', required: required.includes(name), schema: schemaOf(schema), ...sample }
  })
}

function headerParameters({ headers = {}, example }: EndpointNote): Parameter[] {
  return Object.entries(headers).map(([name, description]) => {
    const given = entryOf(example?.headers ?? {}, name)
    const sample = given === undefined ? {} : { example: given }
    return { name, in: 'header', required: false, description, schema: { type: 'string' }, ...sample }
  })
}

function properties(schema: object | undefined): [string, JsonSchema][] {
  return Object.entries((schema as { properties?: Record<string, JsonSchema> } | undefined)?.properties ?? {})
}

const upToMaxBody = 'At most 1 MiB, or the size that `--max-body` allows; before sign-in at most 64 KiB.'

/** The description of the body of an endpoint; undefined when there is none. */
export function bodyOf(
  { body, hasRawBody: bytes, maxBodyBytes: mostBody = bodySizes.small }: Endpoint,
  { example, bodyType: bytesAs }: EndpointNote,
): Operation['requestBody'] {
  if (bytes) return { required: false, content: { [bytesAs ?? 'application/octet-stream']: {} } }
  if (!body) return undefined
  const sample = example?.body === undefined ? {} : { example: example.body }
  const { anyOf = [] } = body as { anyOf?: JsonSchema[] }
  const isOptional = anyOf.some(({ type }) => type === 'null')
  const given = isOptional ? (anyOf.find(({ type }) => type !== 'null') ?? body) : body
  const description = mostBody === bodySizes.small ? 'At most 64 KiB.' : upToMaxBody
  return {
    description,
    required: !isOptional,
    content: { 'application/json': { schema: schemaOf(given), ...sample } },
  }
}
