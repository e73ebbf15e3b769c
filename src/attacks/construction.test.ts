import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { options } from '#src/config/options/options.ts'
import { start } from '#src/testing/start.ts'

// Properties of the source code that make most attacks fail, whatever their form.

const home = join(import.meta.dirname, '..')
const sources = globSync('**/*.ts', { cwd: home })
  .filter((file) => !/\.test\.ts$|^(attacks|testing|contract-tests)\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(home, file), 'utf8') }))
const calls = Object.entries<Endpoint>(contract)

t.test('a path of an address is decoded in one place', async (t) => {
  const decoders = sources
    .filter(({ text }) => /\bdecodeURI(Component)?\(/.test(text))
    .map(({ file }) => file)
  // The password of a share, the brand's own files, and paths in a query, which are text then.
  const known = [
    'branding/branding.ts',
    'files/paths/user-path.ts',
    'http/resource-path.ts',
    'shares/visiting/visit.ts',
    'resources/resources.routes.ts',
  ]
  t.strictSame(decoders.filter((file) => !known.includes(file)).sort(), [])
})

t.test('only the jail turns a path into a safe path', async (t) => {
  const casts = sources.filter(({ text }) => /\bas SafePath\b/.test(text)).map(({ file }) => file)
  t.strictSame(casts.sort(), ['files/jail/jail.ts', 'shares/visiting/visitor.ts'])
  const nouns = /^(auth|users|shares|search|settings|previews|commands|hooks)\//
  const joined = sources.filter(
    ({ file, text }) => nouns.test(file) && /jail\.root\s*\+|join\(jail\.root/.test(text),
  )
  t.strictSame(
    joined.map(({ file }) => file),
    [],
    'no feature folder joins paths itself',
  )
})

t.test('every route declares who may call it, and the server starts with no other routes', async (t) => {
  const { app } = await start(t)
  for (const [address, { access }] of calls) {
    t.ok(['public', 'signed-in', 'self', 'admin'].includes(access), address)
    const [method = '', url = ''] = address.split(' ')
    t.ok(app.hasRoute({ method: method as 'GET', url }), address)
  }
  const routed = sources.filter(({ text }) =>
    /\bapp\.(get|post|put|patch|delete|all|head|options)\(/.test(text),
  )
  t.strictSame(
    routed.map(({ file }) => file),
    [],
    'each route is made from its entry in the contract',
  )
})

interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  pattern?: string
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  maxProperties?: number
  additionalProperties?: unknown
  patternProperties?: object
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/** Lists the parts of a schema that have no upper bound. */
function unbounded(schema: Schema, where: string): string[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([key, each]) =>
    unbounded(each, `${where}.${key}`),
  )
  const parts = (schema.anyOf ?? []).flatMap((each) => unbounded(each, where))
  const items = schema.items && schema.maxItems !== 0 ? unbounded(schema.items, `${where}[]`) : []
  const isBounded =
    schema.enum !== undefined || schema.const !== undefined || bounded[schema.type ?? '']?.(schema) !== false
  return [...(isBounded ? [] : [where]), ...inner, ...parts, ...items]
}

const bounded: Record<string, (schema: Schema) => boolean> = {
  // A pattern with a maximum number of repetitions is a bound as well.
  string: ({ maxLength, pattern }) => maxLength !== undefined || /\{\d+,\d+\}/.test(pattern ?? ''),
  array: ({ maxItems }) => maxItems !== undefined,
  object: ({ additionalProperties, maxProperties }) =>
    additionalProperties === false || maxProperties !== undefined,
}

t.test('every string, array and object that a client sends is closed and bounded', async (t) => {
  for (const [address, { query, body, params }] of calls) {
    for (const [name, schema] of Object.entries({ query, body })) {
      if (schema) t.strictSame(unbounded(schema as Schema, name), [], address)
    }
    const named = Object.keys((params as Schema | undefined)?.properties ?? {})
    t.strictSame(
      [...address.matchAll(/:(\w+)|\*/g)].map(([whole, key]) => key ?? whole).sort(),
      named.sort(),
      `${address} names the parameters of its address`,
    )
  }
})

t.test('names of actions and fields are accepted from a closed list only', async (t) => {
  const open = calls.flatMap(([address, { query }]) =>
    Object.entries((query as Schema | undefined)?.properties ?? {}).flatMap(([key, schema]) =>
      ['action', 'algo'].includes(key) && !schema.enum ? [`${address} ${key}`] : [],
    ),
  )
  t.strictSame(open, [])
  const { as, document } = await start(t, { people: { alice: {} } })
  const before = structuredClone(document.data)
  const alice = await as('alice')
  for (const which of [
    'id',
    'hash',
    'createdAt',
    'constructor',
    'toString',
    '__proto__',
    'hasOwnProperty',
    '',
  ]) {
    const payload = { what: 'user', which: [which], data: { id: 2, [which || 'x']: 1 } }
    t.ok((await alice('PUT', '/api/users/2', { payload })).statusCode >= 400, which)
  }
  for (const action of ['move', 'COPY', 'constructor', '__proto__', '']) {
    const url = `/api/resources/a?action=${action}&destination=/b`
    t.equal((await alice('PATCH', url)).statusCode, 400, action)
  }
  t.equal((await alice('POST', '/api/resources/a', { payload: 'a' })).statusCode, 200)
  for (const sum of ['md4', 'SHA256', 'constructor', '__proto__']) {
    t.equal((await alice('GET', `/api/resources/a?checksum=${sum}`)).statusCode, 400, sum)
  }
  t.strictSame(document.data.users, before.users)
})

t.test('everything expensive has a limit that an administrator can see and set', async (t) => {
  const flags = options.map(({ flag }) => flag)
  for (const flag of [
    'login-attempts',
    'request-rate',
    'user-rate',
    'uploads-per-user',
    'archives-per-user',
    'commands-per-user',
    'max-upload',
    'max-body',
    'max-header',
    'request-timeout',
    'idle-timeout',
  ]) {
    t.ok(flags.includes(flag), flag)
  }
  // Trees, listings, checksums and pictures are processed by a fixed number of worker threads.
  const made = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<!typeof |function )createWorkerPool<[^(]*\((.*?)\)/gs)].map(
      ([, parameters = '']) => ({
        file,
        parameters,
      }),
    ),
  )
  t.ok(made.length >= 5)
  for (const { file, parameters } of made) t.match(parameters, /threads\b/i, file)
})

t.test('only the sandbox for commands starts a shell or another program', async (t) => {
  const starters = sources.filter(({ text }) => /node:child_process|\beval\(|new Function\(/.test(text))
  t.strictSame(
    starters.map(({ file }) => file),
    ['sandbox/run.ts'],
  )
  // `db.exec` runs statements of SQLite.
  const shells = sources.filter(({ text }) => /\bshell: true\b|(?<!\bdb\.)\bexec(Sync)?\(['"`]/.test(text))
  t.strictSame(
    shells.map(({ file }) => file),
    [],
  )
})
