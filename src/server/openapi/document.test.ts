import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { describeApi } from './document.ts'
import type { Operation } from './shapes.ts'

const document = describeApi('')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** Every object in the document that has the key. */
function having(key: string, value: unknown = document): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.values(value).flatMap((inside) => having(key, inside))
  return key in value ? [value as Record<string, unknown>, ...below] : below
}

function resolve(ref: string): unknown {
  const steps = ref.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
}

t.test('the document describes every endpoint of the contract and no other', async (t) => {
  const documented = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)
  const declared = Object.keys(contract).map((address) =>
    address.replace(/:(\w+)/g, '{$1}').replace('*', '{path}'),
  )
  t.strictSame(documented.sort(), declared.sort())
})

t.test('every endpoint has a unique name, a summary, a described tag, and responses', async (t) => {
  const tags = document.tags.map(({ name }) => name)
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
  for (const { path, method, operation } of operations) {
    t.match(operation.operationId, /^[a-z][A-Za-z]+$/)
    t.ok(operation.summary, `${method} ${path}`)
    t.strictSame(operation.tags.length, 1)
    t.ok(operation.tags.every((tag) => tags.includes(tag)))
    const statuses = Object.keys(operation.responses)
    t.ok(statuses.some((status) => /^(2\d\d|101)$/.test(status)) && statuses.includes('default'))
    for (const { description } of Object.values(operation.responses)) t.ok(description)
  }
})

t.test('every path parameter is declared once and required (OpenAPI 3.1, 4.8.12)', async (t) => {
  for (const { path, method, operation } of operations) {
    const { parameters = [] } = operation
    const inPath = parameters.filter((one) => one.in === 'path')
    const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    t.strictSame(
      inPath.map(({ name }) => name),
      expected,
      `${method} ${path}`,
    )
    t.ok(inPath.every(({ required }) => required))
    t.equal(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size, parameters.length)
    for (const { name, in: place } of parameters) {
      if (place === 'header') t.notMatch(name, /^(accept|content-type|authorization)$/i)
    }
  }
  const templates = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'))
  t.equal(new Set(templates).size, templates.length, 'no two paths differ only in the names of parameters')
})

t.test('every reference can be resolved', async (t) => {
  const refs = having('$ref').map(({ $ref }) => String($ref))
  t.ok(refs.length > 20)
  for (const ref of refs) t.ok(resolve(ref), ref)
})

t.test('every named schema is used', async (t) => {
  const refs = new Set(having('$ref').map(({ $ref }) => String($ref)))
  for (const name of Object.keys(document.components.schemas)) {
    t.ok(refs.has(`#/components/schemas/${name}`), name)
  }
})

t.test('every endpoint that is not public names a described security scheme', async (t) => {
  const schemes = Object.keys(document.components.securitySchemes)
  for (const { operation } of operations) {
    for (const way of operation.security) {
      t.ok(Object.keys(way).every((name) => schemes.includes(name)))
    }
    const isPublic = operation.security.length === 0
    t.equal(operation.responses[401]?.description.includes('auth.required') ?? false, !isPublic)
  }
})

t.test(
  'an endpoint that requires a proof of the password documents it, its error and the password field',
  async (t) => {
    for (const [address, { proof }] of Object.entries<Endpoint>(contract)) {
      const [method = '', path = ''] = address.split(' ')
      const at = path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')
      const operation = document.paths[at]?.[method.toLowerCase()]
      const isDocumented = operation?.responses[401]?.description.includes('auth.proof') ?? false
      t.equal(isDocumented, proof !== undefined, address)
      if (!proof) continue
      t.match(operation?.description, /last ten minutes, or `current_password`/, address)
      const shapes = having('$ref', operation?.requestBody).map(({ $ref }) => resolve(String($ref)))
      t.ok(having('current_password', [operation?.requestBody, ...shapes]).length > 0, address)
    }
  },
)

t.test('every schema is JSON Schema 2020-12, and every example is valid', async (t) => {
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'openapi', components: document.components })
  const compile = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')))
  for (const schema of Object.values(document.components.schemas)) t.ok(compile(schema))
  const samples = having('schema').filter((one) => 'example' in one && one.example !== undefined)
  t.ok(samples.length > 30)
  for (const { schema, example } of samples) {
    const check = compile(schema as object)
    t.ok(check(example), `${JSON.stringify(example)}: ${ajv.errorsText(check.errors)}`)
  }
  for (const { schema } of having('schema')) t.ok(ajv.validateSchema(schema as object))
})

t.test('the server URL is the base URL of the instance', async (t) => {
  t.equal(document.servers[0]?.url, '/')
  t.equal(describeApi('/files').servers[0]?.url, '/files')
})

t.test('errors are documented as text and as a problem document', async (t) => {
  for (const { operation } of operations) {
    const refusals = Object.entries(operation.responses as Operation['responses']).filter(
      ([status]) => status >= '4',
    )
    t.ok(
      refusals.every(
        ([, { content = {} }]) => Object.keys(content).join() === 'text/plain,application/problem+json',
      ),
    )
  }
})
