import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { problems } from '#contract/problems.ts'
import type { OpenApi } from '#src/server/openapi/document.ts'
import type { ApiResponse as Promised } from '#src/server/openapi/shapes.ts'
import type { TestResponse } from '../line.ts'
import { type Call, callsOf } from './grammar.ts'

/** Returns a function that reports how a response differs from what the OpenAPI document promises for a call. */
export function createContractCheck(document: OpenApi) {
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'openapi', components: document.components })
  const compiled = new Map<object, ValidateFunction>()
  const calls = new Map(callsOf(document).map((call) => [call.operationId, call]))

  function compile(schema: object): ValidateFunction {
    const known = compiled.get(schema)
    if (known) return known
    const text = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')
    const check = ajv.compile(JSON.parse(text) as object)
    compiled.set(schema, check)
    return check
  }

  function successFault({ responses }: Call, { status, headers, text }: TestResponse): string | undefined {
    const type = headers['content-type']?.split(';')[0] ?? 'nothing'
    const content = contentOf(responses[status], type)
    const isEmpty = content === undefined && text === ''
    if (!responses[status] || !(content || isEmpty)) {
      return `responds with ${status} as ${type}, which the document does not promise`
    }
    if (type !== 'application/json' || !content?.schema) return undefined
    const check = compile(content.schema)
    return check(JSON.parse(text)) ? undefined : `responds with ${JSON.stringify(check.errors).slice(0, 500)}`
  }

  return (call: string, method: string, response: TestResponse): string | undefined => {
    const known = calls.get(call)
    if (!known || known.method !== method) return undefined
    return response.status >= 400 ? refusalFault(response) : successFault(known, response)
  }
}

function contentOf(promised: Promised | undefined, type: string) {
  const { [type]: own, '*/*': any } = promised?.content ?? {}
  return own ?? any
}

const statuses = new Map<unknown, number>(
  Object.entries(problems).map(([code, { status }]) => [code, status]),
)

/**
 * A refusal is a line of text, or a problem document with a code that belongs to its status
 * (contract/README.md#errors).
 */
function refusalFault({ status, headers, text }: TestResponse): string | undefined {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('text/plain')) {
    return /^\d{3} [\w -]+ \(.+\)\n$/s.test(text) ? undefined : `a refusal is ${text.slice(0, 200)}`
  }
  if (!type.startsWith('application/problem+json')) return `a refusal is ${type}: ${text.slice(0, 200)}`
  const { code, detail } = JSON.parse(text) as { code?: unknown; detail?: unknown }
  if (statuses.get(code) !== status) return `${code} is no refusal of status ${status}`
  return typeof detail === 'string' && detail !== '' ? undefined : `a refusal is ${detail}`
}
