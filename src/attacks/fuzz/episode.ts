import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeApi } from '#src/server/openapi/document.ts'
import { errorLines } from '#src/testing/error-lines.ts'
import { cheapHash, password, start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'
import { faultsOf, logFaults } from '../invariants.ts'
import { createClient, type TestResponse } from '../line.ts'
import { canaries, manifest, outsideTree, pathsBelow, plant, tree, type UserName, users } from '../world.ts'
import { createContractCheck } from './fits.ts'
import type { Step } from './grammar.ts'
import { createLoopWatch } from './loop-watch.ts'
import { createMemory, type Memory } from './memory.ts'

export const document = describeApi('')
const fits = createContractCheck(document)

/**
 * The users who attack. An administrator may do everything to files and users, so fewer invariants hold then: only
 * files outside the served folder stay unchanged and undisclosed.
 */
export const attackers: Readonly<Record<'users' | 'administrators', readonly UserName[]>> = {
  users: ['alice', 'creator', 'ro', 'nodl', 'noperm', 'team1', ''],
  administrators: ['admin', 'admin', 'admin', 'alice', 'bob', 'ro', ''],
}
export type AttackerGroup = keyof typeof attackers

// The responses contain ids, hashes and etags for the requests that follow.
const firstRequests: readonly [method: string, url: string, json?: object][] = [
  ['POST', 'share/docs'],
  ['POST', 'share/pub.txt', { password, expires: '7', unit: 'days' }],
  ['GET', 'sessions'],
  ['GET', 'raw/pub.txt'],
  ['POST', 'ticket', { action: 'raw', path: '/pub.txt' }],
  ['POST', 'public/selection', { files: 'pub.txt,docs' }],
]

const noLimits = {
  requestRate: Number.POSITIVE_INFINITY,
  userRate: Number.POSITIVE_INFINITY,
  loginAttempts: 1e9,
}
// With a website, so that its endpoints do not refuse everything. Its generator is never found.
const withSite = { staticgen: 'hugo', execWithoutSandbox: true } as const
const site = { Root: '/', Public: '/public', Exe: '/nowhere/hugo', Args: [], CleanPublic: true }
const denied = [{ allow: false, path: '/docs/private', regex: false, regexp: null }]

/**
 * Starts a fresh server with its state on the disk, users, files and a share. The caller has to close and remove it.
 */
async function openWorld(cast: AttackerGroup) {
  const base = mkdtempSync(join(tmpdir(), 'coffer-fuzz-'))
  const root = join(base, 'root')
  const outside = join(base, 'outside')
  mkdirSync(root)
  plant(root, tree)
  plant(outside, outsideTree)
  const config = { log: join(base, 'coffer.log'), ...withSite, ...noLimits }
  const withRules = Object.entries(users).map(([name, person]) => [
    name,
    person.scope === '/alice' ? { ...person, rules: denied } : person,
  ])
  const made = await open({ base, config, people: Object.fromEntries(withRules) })
  await made.document.update((draft) => {
    draft.settings.staticGen = site
  })
  const line = createClient(await listen(made.app))
  const memory = createMemory()
  for (const [method, url, json] of firstRequests) {
    memory.learn(await line.ask('alice', method, `/api/${url}`, json ? { json } : {}))
  }
  const secrets = cast === 'users' ? Object.values(canaries) : [canaries.outside]
  const watch = createLoopWatch()
  const foreign = () => manifest(outside, ...(cast === 'users' ? [join(root, 'bob')] : []))
  return { base, config, made, line, memory, secrets, watch, foreign, before: foreign() }
}

type World = Awaited<ReturnType<typeof openWorld>>

function open(choices: Parameters<typeof start>[1]) {
  // `play` closes the server, so no teardown is needed.
  const t = { testdir: () => '', teardown: () => {} }
  return start(t as unknown as Parameters<typeof start>[0], { ...choices, onDisk: true })
}

/** The faults found, and the number of requests sent until then. */
export interface EpisodeResult {
  faults: readonly string[]
  requestCount: number
}

/** Sends the steps to a fresh server, one after the other, and returns the first fault. */
export async function play(cast: AttackerGroup, steps: readonly Step[]): Promise<EpisodeResult> {
  const world = await openWorld(cast)
  try {
    for (const [at, step] of steps.entries()) {
      const fault = await take(world, step)
      if (fault) return { faults: [fault], requestCount: at + 1 }
    }
    return { faults: await faultsAtTheEnd(world), requestCount: steps.length }
  } finally {
    world.watch.close()
    await world.made.close()
    rmSync(world.base, { recursive: true, force: true })
  }
}

/** Sends one request. Returns the fault in its response. */
async function take({ made, line, memory, secrets, watch }: World, step: Step): Promise<string | undefined> {
  const request = requestOf(step, memory)
  line.forget()
  watch.begin()
  const response = await ask(line, step.user, request)
  const blocked = watch.fault()
  if (!response) return undefined
  if (response.status === 401) line.signOut()
  memory.learn(response)
  const [fault] = faultsOf(line.responses(), { base: made.base, canaries: secrets })
  if (fault) return fault
  if (blocked) return `${response.request}: ${blocked}`
  try {
    const misfit = fits(step.call, request.method, response)
    return misfit && `${response.request} ${misfit}`
  } catch (error) {
    return `${response.request} cannot be read: ${error}`
  }
}

/** Returns undefined if the account cannot sign in any more, or if Node refuses to send such a request. */
async function ask(line: World['line'], user: UserName, request: Request): Promise<TestResponse | undefined> {
  const { method, url, headers, body } = request
  try {
    if (user !== '') await line.token(user)
  } catch {
    return undefined // deleted, or with a new password, by an earlier request
  }
  try {
    return await line.ask(user, method, url, { headers, ...(body !== undefined && { body }) })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS'].includes(code)) return undefined
    return {
      request: `${user}: ${method} ${url}`,
      status: 0,
      headers: {},
      body: Buffer.alloc(0),
      text: String(error),
    }
  }
}

interface Request {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/** Turns a step into the request that is sent. */
export function requestOf({ method, address, query, headers, body }: Step, memory: Memory): Request {
  const path = address.map((piece) =>
    typeof piece === 'string' ? piece : encoded(memory.fill(piece.value)).replaceAll('%2F', '/'),
  )
  const asked = query.map(([name, value]) => `${name}=${encoded(memory.fill(value))}`)
  return {
    method,
    url: path.join('') + (asked.length > 0 ? `?${asked.join('&')}` : ''),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, memory.fill(value)])),
    body: body?.map((piece) => memory.fill(piece)).join(''),
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Checks at the end that no file of others changed, no temporary file is left, and the server can start again. */
async function faultsAtTheEnd(world: World): Promise<string[]> {
  const { made, line, secrets, foreign, before, config } = world
  const parts = pathsBelow(made.root).filter((path) => path.includes('/.coffer-part-'))
  const unfinished = await uploads(world)
  const isLeft = parts.filter((path) => !unfinished.some((name) => path.endsWith(name)))
  const health = await line.ask('', 'GET', '/health')
  const changed = foreign().filter((entry, at) => entry !== before[at])
  return [
    ...(health.status === 200 ? [] : [`/health responds with ${health.status}`]),
    ...changed.map((entry) => `a file of others was changed: ${entry}`),
    ...(foreign().length === before.length ? [] : ['a file of others was removed or added']),
    ...isLeft.map((path) => `left behind: ${path}`),
    ...logFaults(config.log, [...secrets, password]),
    ...errorLines(config.log),
    ...(await faultsAfterKill(world)),
  ]
}

/** The temporary files of unfinished uploads, which may remain. */
async function uploads({ made }: World): Promise<string[]> {
  const folder = join(made.base, 'state.d', 'uploads')
  return pathsBelow(folder).map((file) => (JSON.parse(readFileSync(file, 'utf8')) as { part: string }).part)
}

/** Starts a server on a copy of the disk, which is the same as what a killed server leaves. */
async function faultsAfterKill({ base, config, made }: World): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), 'coffer-fuzz-'))
  cpSync(base, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/\/(lock|new)-/.test(path),
  })
  try {
    const again = await open({ base: copy, config: { ...config, log: '' } })
    try {
      // Earlier requests may have deleted administrators or changed passwords.
      const admin = Object.values(again.document.data.users).find(({ perm }) => perm.admin)
      if (!admin) return ['no administrator is left']
      await again.document.update((draft) => {
        draft.credentials.passwords[admin.id] = cheapHash
      })
      const ask = await again.as(admin.username)
      const faults = []
      for (const url of ['/api/users', '/api/shares', '/api/settings', '/api/sessions']) {
        const { statusCode, body } = await ask('GET', url)
        if (statusCode !== 200)
          faults.push(`after a restart ${url} responds with ${statusCode}: ${body.slice(0, 300)}`)
      }
      return faults
    } finally {
      await again.close()
    }
  } catch (error) {
    return [`the server does not start again (${made.root}): ${(error as Error).message}`]
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
