import { STATUS_CODES } from 'node:http'
import { auth } from '#contract/auth.ts'
import { doctor } from '#contract/doctor.ts'
import { audit } from '#contract/history/audit.ts'
import { bookmarks } from '#contract/history/bookmarks.ts'
import { events } from '#contract/history/events.ts'
import { held } from '#contract/history/held.ts'
import { kept } from '#contract/history/kept.ts'
import { operations } from '#contract/history/operations.ts'
import { shareUse } from '#contract/history/share-use.ts'
import type { Contract } from '#contract/index.ts'
import { metadata } from '#contract/metadata.ts'
import { mail } from '#contract/notices/mail.ts'
import { notices } from '#contract/notices/notices.ts'
import { webhook } from '#contract/notices/webhook.ts'
import { previews } from '#contract/previews.ts'
import { type ProblemCode, problems } from '#contract/problems.ts'
import { publish } from '#contract/publish.ts'
import { resources, tus } from '#contract/resources.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { settings } from '#contract/settings.ts'
import { shares } from '#contract/shares.ts'
import { system } from '#contract/system.ts'
import { commands } from '#contract/tools/commands.ts'
import { search } from '#contract/tools/search.ts'
import { users } from '#contract/users.ts'
import { visits } from '#contract/visits.ts'
import { entryOf, setEntry } from '#src/core/lookup.ts'
import { version } from '#src/core/version.ts'
import { responsesOf } from './answers.ts'
import type { EndpointNote } from './notes/note.ts'
import { notes } from './notes/notes.ts'
import { bodyOf, parametersOf } from './parameters.ts'
import { type JsonSchema, namedSchemas } from './schemas.ts'
import type { ApiResponse, Content, Operation } from './shapes.ts'

/**
 * The description of the API (OpenAPI 3.1). It is built from the contract, and most of this folder is its text.
 * `@fastify/swagger` builds it from the schemas of routes, which lack the replies, errors and examples. It would
 * replace a third of the lines and add 2.1 MB of packages.
 */
export type OpenApi = ReturnType<typeof describeApi>

const groups: readonly { name: string; description: string; calls: Readonly<Record<string, Endpoint>> }[] = [
  {
    name: 'Sign-in',
    description: 'Sign-in, sign-up and sign-out; tokens, tickets and sessions.',
    calls: auth,
  },
  {
    name: 'Files',
    description: 'List, read, write, move, upload and download files and folders.',
    calls: { ...resources, ...tus, ...previews, ...metadata },
  },
  {
    name: 'History',
    description: 'What was changed, and what changes now.',
    calls: { ...operations, ...audit, ...events },
  },
  {
    name: 'Trash',
    description: 'Deleted entries and old contents of files.',
    calls: kept,
  },
  {
    name: 'Starred and recent',
    description: 'The starred and the recent files of the signed-in user.',
    calls: bookmarks,
  },
  {
    name: 'Held files',
    description: 'Received files that are not visible, because a virus scanner has not passed them.',
    calls: held,
  },
  { name: 'Search', description: 'Find files, and list whole folder trees.', calls: search },
  {
    name: 'Shares',
    description: 'Shares of files and folders for visitors without an account.',
    calls: { ...shares, ...visits, ...shareUse },
  },
  {
    name: 'Notices',
    description: 'What users are told about their shares: on the page, to a webhook and by e-mail.',
    calls: { ...notices, ...webhook },
  },
  { name: 'Commands', description: 'Programs that users run in their folders.', calls: commands },
  {
    name: 'Website',
    description: 'Write, preview, schedule and publish the static site in the served folder.',
    calls: publish,
  },
  { name: 'Users', description: 'The user accounts.', calls: users },
  { name: 'Settings', description: 'The settings of the instance.', calls: { ...settings, ...mail } },
  {
    name: 'Server',
    description: 'The state of the server and this API description.',
    calls: { ...doctor, ...system },
  },
]

const description = `Every request, except to endpoints marked public, needs the token that \`POST /api/login\` returns, in the header \`X-Auth\` or
as \`Authorization: Bearer\`. If a response has \`X-Renew-Token: true\`, get a new token from \`POST /api/renew\`.

An error response is text: \`<status> <reason phrase> (<cause>)\`. If \`Accept\` prefers \`application/json\`, it is a problem
document (RFC 9457) instead. The meaning of its \`code\` never changes.

Requests that change users or settings, or end sessions of other users, need a proof of the password that is at most ten
minutes old: the sign-in, or your own password as \`current_password\` in the body. A correct password is valid as proof for
ten minutes. Without a proof the response is 401 with the code \`auth.proof\` and a \`WWW-Authenticate\` header (RFC 9470), and
the session continues.

Write a path relative to the scope. Percent-encode each name, and keep the slashes.`

/**
 * Describes every endpoint of the contract from its own schemas. `baseUrl` is the base path of all; empty at the
 * root.
 */
export function describeApi(baseUrl: string) {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { name, calls } of groups) {
    for (const [address, endpoint] of Object.entries(calls) as [keyof Contract, Endpoint][]) {
      const [method = '', path = ''] = address.split(' ')
      const template = path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')
      const note = notes[address]
      setEntry(paths, template, {
        ...entryOf(paths, template),
        [method.toLowerCase()]: operation(endpoint, note, { tag: name, path }),
      })
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Coffer',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl || '/', description: 'This server' }],
    tags: groups.map(({ name, description }) => ({ name, description })),
    paths,
    components: { securitySchemes, schemas: { ...namedSchemas(), Problem: problemSchema } },
  }
}

const securitySchemes = {
  token: { type: 'apiKey', in: 'header', name: 'X-Auth', description: 'The token from the sign-in' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same token' },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'auth',
    description: 'A ticket from `POST /api/ticket`, or the token, for URLs that a browser opens',
  },
} as const

const problemSchema: JsonSchema = {
  description: 'An error (RFC 9457)',
  type: 'object',
  required: ['status', 'title', 'code', 'detail'],
  properties: {
    status: { type: 'integer' },
    title: { type: 'string' },
    code: { enum: Object.keys(problems) },
    detail: { type: 'string' },
    details: { type: 'object' },
  },
}

function operation(
  endpoint: Endpoint,
  note: EndpointNote,
  { tag, path }: { tag: string; path: string },
): Operation {
  const parameters = parametersOf(endpoint, note, path)
  const body = bodyOf(endpoint, note)
  return {
    operationId: note.name,
    tags: [tag],
    summary: endpoint.summary,
    ...described(endpoint, note),
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { ...responsesOf(endpoint, note), ...refusalsOf(endpoint, note, path) },
  }
}

const proofs: Readonly<Record<NonNullable<Endpoint['proof']>, string>> = {
  always: 'Needs a sign-in within the last ten minutes, or `current_password`.',
  'unless-own-preferences':
    'Needs a sign-in within the last ten minutes, or `current_password`, unless it changes only your own preferences.',
}

function described({ proof }: Endpoint, { description }: EndpointNote): Pick<Operation, 'description'> {
  const sentences = [description, proof && proofs[proof]].filter((one) => one !== undefined)
  return sentences.length > 0 ? { description: sentences.join(' ') } : {}
}

function securityOf({ access, ticket }: Endpoint): Operation['security'] {
  if (access === 'public') return []
  return [{ token: [] }, { bearer: [] }, ...(ticket ? [{ query: [] }] : [])]
}

/** One error response for each status, with its possible causes. */
function refusalsOf(endpoint: Endpoint, note: EndpointNote, path: string): Record<string, ApiResponse> {
  const codes = new Set<ProblemCode>([...commonCodes(endpoint, path), ...(note.errorCodes ?? [])])
  const answers: Record<string, ApiResponse> = {}
  for (const status of [...new Set([...codes].map((code) => problems[code].status))].sort((a, b) => a - b)) {
    const causes = [...codes].filter((code) => problems[code].status === status)
    const lines = causes.map((code) => `- \`${code}\`: ${problems[code].cause}`)
    answers[status] = { description: `${STATUS_CODES[status]}\n\n${lines.join('\n')}`, content: refusal }
  }
  return { ...answers, default: { description: 'Any other error', content: refusal } }
}

/** The error codes that follow from the properties of an endpoint. */
function commonCodes(endpoint: Endpoint, path: string): ProblemCode[] {
  const { access, proof, params, query, body, isUnlimited: uncounted } = endpoint
  return [
    ...(params || query || body ? (['request.invalid'] as const) : []),
    ...(path.endsWith('*') ? (['path.invalid'] as const) : []),
    ...(access === 'public' ? [] : (['auth.required'] as const)),
    ...firstPasswordCodes(endpoint),
    ...(access === 'admin' || access === 'self' ? (['auth.forbidden'] as const) : []),
    ...(proof ? (['auth.proof', 'auth.limited', 'password.current', 'password.needed'] as const) : []),
    ...(body ? (['request.large', 'request.slow', 'server.busy'] as const) : []),
    ...(uncounted ? [] : (['request.limited'] as const)),
    'server.stopping',
  ]
}

/** The error codes before there is an administrator, and before a made-up password is changed. */
function firstPasswordCodes({ access, body, beforeSetup, beforeNewPassword }: Endpoint): ProblemCode[] {
  // Of an endpoint with a body, only one kind of body is accepted.
  const isAlwaysOpen = access === 'public' || (beforeNewPassword && !body)
  return [
    ...(beforeSetup ? [] : (['setup.needed'] as const)),
    ...(isAlwaysOpen ? [] : (['password.change'] as const)),
  ]
}

const refusal: Content = {
  'text/plain': { schema: { type: 'string' }, example: '404 Not Found (docs/a.txt does not exist)\n' },
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
}
