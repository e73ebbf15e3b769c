import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { App } from '#src/http/at.ts'

// Our schemas are checked against JSON Schema by a test, once, and not by every start, where it cost 30 ms.
const rules: Options = {
  removeAdditional: true,
  useDefaults: true,
  allErrors: false,
  strict: false,
  validateSchema: false,
  meta: false,
}

/**
 * Schemas become code when the first request needs them: to make all of it took a third of the start, for calls that most
 * starts never see.
 */
export function compileLazily(app: App): void {
  // Everything in an address arrives as text, so numbers there are read from it; in a body a wrong type is wrong.
  const body = new Ajv({ ...rules, coerceTypes: false })
  const text = new Ajv({ ...rules, coerceTypes: true })
  app.setValidatorCompiler<object>(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? body : text
    let compiled: ValidateFunction | undefined
    // Fastify looks for what is wrong on the function itself.
    const check: { (value: unknown): boolean; errors?: ErrorObject[] } = (value) => {
      compiled ??= ajv.compile(schema)
      const isGood = compiled(value)
      check.errors = compiled.errors ?? []
      return isGood
    }
    return check
  })
  app.setSerializerCompiler<object>(({ schema }) => {
    let write: ReturnType<typeof fastJson> | undefined
    return (value) => {
      write ??= fastJson(schema)
      return write(value)
    }
  })
}
