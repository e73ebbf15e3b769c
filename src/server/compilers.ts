import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { App } from '#src/http/at.ts'

// A test checks our schemas against JSON Schema. Doing this at every start would take 30 ms.
const rules: Options = {
  removeAdditional: true,
  useDefaults: true,
  allErrors: false,
  strict: false,
  validateSchema: false,
  meta: false,
}

/**
 * Compiles schemas at the first request that needs them. Compiling all of them took a third of the startup time,
 * mostly for endpoints that are never used.
 */
export function compileLazily(app: App): void {
  // All values in a URL are text, so they are converted to numbers. In a body, a wrong type is an error.
  const body = new Ajv({ ...rules, coerceTypes: false })
  const text = new Ajv({ ...rules, coerceTypes: true })
  app.setValidatorCompiler<object>(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? body : text
    let compiled: ValidateFunction | undefined
    // Fastify reads the errors from the function itself.
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
