import { Ajv } from 'ajv'
import t from 'tap'
import { contract } from './index.ts'

t.test('every schema of the contract is valid', async (t) => {
  const ajv = new Ajv({ strict: false })
  for (const [address, endpoint] of Object.entries(contract)) {
    for (const part of ['params', 'query', 'body', 'reply'] as const) {
      const schema = (endpoint as unknown as Record<string, object | undefined>)[part]
      if (schema) t.ok(ajv.validateSchema(schema), `${part} of ${address}`)
    }
  }
  t.notOk(ajv.validateSchema({ type: 'strnig' }), 'an invalid schema is detected')
})
