import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { options } from '#src/config/options.ts'
import { start } from '#src/testing/start.ts'

// What makes most attacks fail whatever their form: it is so by the way the program is made.

const home = join(import.meta.dirname, '..')
const sources = globSync('**/*.ts', { cwd: home })
  .filter((file) => !/\.test\.ts$|^(attacks|testing|contract-tests)\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(home, file), 'utf8') }))
const calls = Object.entries<Endpoint>(contract)

t.test('a path of an address is decoded in one place', async (t) => {
  const decoders = sources
    .filter(({ text }) => /\bdecodeURI(Component)?\(/.test(text))
    .map(({ file }) => file)
  // Beside paths: the password of a share, the brand's own files, and whether a destination can be decoded at all.
  const known = [
    'branding/branding.ts',
    'files/paths/user-path.ts',
    'http/visit.ts',
    'resources/resources.routes.ts',
  ]
  t.strictSame(decoders.filter((file) => !known.includes(file)).sort(), [])
})

t.test('what a path leads to is opened by the jail, and nobody else makes a path safe', async (t) => {
  const casts = sources.filter(({ text }) => /\bas SafePath\b/.test(text)).map(({ file }) => file)
  t.strictSame(casts.sort(), ['files/jail/jail.ts', 'shares/share-access.ts'])
  const nouns = /^(auth|users|shares|search|settings|previews|commands|hooks)\//
  const joined = sources.filter(
    ({ file, text }) => nouns.test(file) && /jail\.root\s*\+|join\(jail\.root/.test(text),
  )
  t.strictSame(
    joined.map(({ file }) => file),
    [],
    'no noun puts a path together by itself',
  )
})

t.test('every route declares who may call it, and the program starts with no other', async (t) => {
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
    'each is made from its entry in the contract',
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

/** What of a schema has no end. */
function endless(schema: Schema, where: string): string[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([key, each]) =>
    endless(each, `${where}.${key}`),
  )
  const parts = (schema.anyOf ?? []).flatMap((each) => endless(each, where))
  const items = schema.items && schema.maxItems !== 0 ? endless(schema.items, `${where}[]`) : []
  const isBounded =
    schema.enum !== undefined || schema.const !== undefined || bounded[schema.type ?? '']?.(schema) !== false
  return [...(isBounded ? [] : [where]), ...inner, ...parts, ...items]
}

const bounded: Record<string, (schema: Schema) => boolean> = {
  // A pattern that says how often is an end as well.
  string: ({ maxLength, pattern }) => maxLength !== undefined || /\{\d+,\d+\}/.test(pattern ?? ''),
  array: ({ maxItems }) => maxItems !== undefined,
  object: ({ additionalProperties, maxProperties }) =>
    additionalProperties === false || maxProperties !== undefined,
}

t.test('every text, list and object that a client sends is closed and has an end', async (t) => {
  for (const [address, { query, body, params }] of calls) {
    for (const [name, schema] of Object.entries({ query, body })) {
      if (schema) t.strictSame(endless(schema as Schema, name), [], address)
    }
    const named = Object.keys((params as Schema | undefined)?.properties ?? {})
    t.strictSame(
      [...address.matchAll(/:(\w+)|\*/g)].map(([whole, key]) => key ?? whole).sort(),
      named.sort(),
      `${address} names what is in its address`,
    )
  }
})

t.test('what a client may do with a name of an action or a field is a closed list', async (t) => {
  const open = calls.flatMap(([address, { query }]) =>
    Object.entries((query as Schema | undefined)?.properties ?? {}).flatMap(([key, schema]) =>
      ['action', 'algo'].includes(key) && !schema.enum ? [`${address} ${key}`] : [],
    ),
  )
  t.strictSame(open, [])
  const { as, store } = await start(t, { people: { alice: {} } })
  const before = structuredClone(store.data)
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
  t.strictSame(store.data.users, before.users)
})

t.test('whatever costs much has a limit that an operator can see and set', async (t) => {
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
  // Work on trees, listings, sums and pictures is done by so many threads and no more.
  const made = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<!typeof |function )createWorkerPool<[^(]*\((.*?)\)/gs)].map(([, given = '']) => ({
      file,
      given,
    })),
  )
  t.ok(made.length >= 5)
  for (const { file, given } of made) t.match(given, /\bthreads\b/, file)
})

t.test('no shell and no other program is started but by the one door for commands', async (t) => {
  const starters = sources.filter(({ text }) => /node:child_process|\beval\(|new Function\(/.test(text))
  t.strictSame(
    starters.map(({ file }) => file),
    ['commands/sandbox/run.ts'],
  )
  const shells = sources.filter(({ text }) => /\bshell: true\b|\bexec(Sync)?\(['"`]/.test(text))
  t.strictSame(
    shells.map(({ file }) => file),
    [],
  )
})
