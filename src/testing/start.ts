import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { Memory } from 'lowdb'
import type { Test } from 'tap'
import type { Permissions } from '#contract/users.ts'
import type { Config } from '#src/config/config.ts'
import type { Settings } from '#src/config/options/option.ts'
import { options } from '#src/config/options/options.ts'
import { openDatabase } from '#src/core/database/database.ts'
import { createLog } from '#src/core/log/log.ts'
import { openRecords } from '#src/core/storage/records.ts'
import { openTempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { isHeldFile } from '#src/held/held-record.ts'
import type { Sandbox } from '#src/sandbox/sandbox.ts'
import type { SandboxTool } from '#src/sandbox/sandbox-start.ts'
import { createApp } from '#src/server/app.ts'
import type { Assets } from '#src/server/assets.ts'
import { readTls } from '#src/server/sockets/tls.ts'
import { openSiteRecords } from '#src/site/website/site-records.ts'
import { createFirstState } from '#src/start/first-run.ts'
import { createServices } from '#src/start/services.ts'
import { openDocument, stateFile } from '#src/state/document.ts'
import { draftOf } from '#src/state/draft.ts'
import { createSessionStore, isSession } from '#src/state/sessions.ts'
import type { State, UserRecord } from '#src/state/state.ts'
import { createStore } from '#src/state/store.ts'
import { createTimekeeper, isTimeRecord } from '#src/state/timekeeper.ts'
import { isUpload } from '#src/uploads/pending-uploads.ts'
import { insertUser } from '#src/users/records.ts'
import { hasSandbox, sandboxOf } from './sandbox.ts'

type Tree = Parameters<Test['testdir']>[0]

/** The password of all users, and its argon2id hash with the lowest cost, because tests log in often. */
export const password = 'correct horse battery'
export const cheapHash =
  '$argon2id$v=19$m=8,t=1,p=1$p1Bz20g3gR1lrnXlmHhz9g$SG63aujOJYFJ6hNtj5o8Flm/10onC/b0nNkdQaa3tjg'

/** The fields of a test user that differ from the defaults. */
export interface Person extends Partial<Omit<UserRecord, 'id' | 'perm'>> {
  perm?: Partial<Permissions>
}

const assets: Assets = {
  page: '<html data-theme="%THEME%"><title>%TITLE%</title><script type="application/json">%SETTINGS%</script></html>',
  find: () => undefined,
}

/** The options of a test. */
interface Choices {
  tree?: Tree
  config?: Partial<Config>
  people?: Record<string, Person>
  assets?: Assets
  /** The tool that makes the sandbox for commands; undefined: the best available one. */
  sandbox?: SandboxTool
  /** The number of descriptors that the server assumes it may open. */
  openFiles?: number
  /** A folder with the files of an earlier start; undefined: a new one. */
  base?: string
  /** The code for the set-up page, for a server without an administrator. */
  setupCode?: string
  /** Whether the state is a file, as in the program. */
  onDisk?: boolean
}

/**
 * Starts the real application over a real folder, with its state in memory and a clock that tests can move. It
 * listens only if a test calls `app.listen`.
 */
export async function start(t: Test, options: Choices = {}) {
  // Teardowns run in the order of registration, so the server closes before its folder is deleted.
  let close: () => Promise<void> = async () => {}
  t.teardown(() => close())
  const base = await realpath(options.base ?? t.testdir({ root: options.tree ?? {} }))
  const root = join(base, 'root')
  const isSandboxUnset = options.config?.enableExec && options.config.execWithoutSandbox === undefined
  const execWithoutSandbox = isSandboxUnset ? !(await hasSandbox()) : false
  const config: Config = { ...plainConfig(root, base), execWithoutSandbox, ...options.config }
  const clock = movableClock()
  const folder = join(base, 'state.d')
  await mkdir(folder, { recursive: true })
  const state = await createFirstState(
    { ...config, password: options.setupCode ? undefined : cheapHash },
    { isTerminal: false, tell: () => {} },
  )
  for (const [username, person] of Object.entries(options.people ?? {})) addPerson(state, username, person)
  const log = createLog({ target: config.log, format: config.logFormat })
  const secret = [folder, config.database]
  const { time, ...accounts } = await openAccountsOf({ options, config, folder, state, clock, log })
  const [siteRecords, parts] = await openSiteAndJournal(folder)
  const database = openDatabase(join(folder, 'history.db'), { log })
  await database.opened
  const services = createServices(config, {
    ...accounts,
    store: createStore(accounts.document),
    database,
    stateFolder: folder,
    sandbox: config.enableExec ? await sandboxOf(config, secret, options.sandbox) : undefined,
    setupCode: options.setupCode,
    uploadRecords: await openRecords(join(folder, 'uploads'), isUpload),
    heldRecords: await openRecords(join(folder, 'held'), isHeldFile),
    siteRecords,
    siteSandbox: await siteSandboxOf(config, secret),
    tempFiles: parts,
    clock: time.now,
    offMs: time.offMs,
    secret,
    cacheFolder: config.cacheDir ?? join(folder, 'cache'),
    log,
    openFiles: options.openFiles,
  })
  await services.recover()
  const server = { ...config, tls: readTls(config.cert, config.key), limits: config }
  const app = await createApp(services, { assets: options.assets ?? assets, server, log })
  close = async () => {
    for (const one of [app, services, database, time, parts]) await one.close()
  }
  return {
    app,
    root,
    base,
    config,
    document: accounts.document,
    services,
    clock: { ...clock, now: time.now },
    time,
    close,
    ...clients(app),
  }
}

function clients(app: Awaited<ReturnType<typeof createApp>>) {
  const call = (method: string, url: string, rest: Partial<InjectOptions> = {}) =>
    app.inject({ method: method as 'GET', url, ...rest })

  /** Logs in and returns the token. */
  async function login(username: string, remoteAddress = '127.0.0.1'): Promise<string> {
    const reply = await call('POST', '/api/login', { payload: { username, password }, remoteAddress })
    if (reply.statusCode !== 200) throw new Error(`sign-in of ${username}: ${reply.body}`)
    return reply.body
  }

  /** Logs in and returns a `call` that sends the token. */
  async function as(username: string) {
    const token = await login(username)
    return (method: string, url: string, rest: Partial<InjectOptions> = {}) =>
      call(method, url, { ...rest, headers: { 'x-auth': token, ...rest.headers } })
  }

  return { call, login, as }
}

/** Opens the state and the sessions. */
async function openAccountsOf({
  options,
  config,
  folder,
  state,
  clock,
  log,
}: Pick<Parameters<typeof createTimekeeper>[0], 'log'> & {
  options: Choices
  config: Config
  folder: string
  state: State
  clock: ReturnType<typeof movableClock>
}) {
  const adapter = options.onDisk ? stateFile(config.database) : new Memory<State>()
  const document = await openDocument(adapter, async () => state)
  const sessionRecords = createSessionStore(await openRecords(join(folder, 'sessions'), isSession))
  const records = await openRecords(join(folder, 'clock'), isTimeRecord)
  const sources = { records, document, sessions: sessionRecords, log, sources: clock }
  return { document, sessionRecords, time: await createTimekeeper(sources) }
}

function addPerson(state: State, username: string, { perm, ...rest }: Person): void {
  const { defaults } = state.settings
  const fields = { ...defaults, username, scope: '/', rules: [], lockPassword: false, commands: [], ...rest }
  insertUser(draftOf(state), { ...fields, perm: { ...defaults.perm, ...perm } }, cheapHash)
}

/** Opens the records of the website before the journal, as `main.ts` does. */
async function openSiteAndJournal(folder: string) {
  const siteRecords = await openSiteRecords(join(folder, 'site'))
  return [siteRecords, await openTempFileJournal(join(folder, 'parts'))] as const
}

/** The sandbox of the website's generator; undefined without one on this machine. */
async function siteSandboxOf(config: Config, secret: readonly string[]): Promise<Sandbox | undefined> {
  const isUsed = config.staticgen !== undefined && !config.execWithoutSandbox && (await hasSandbox())
  return isUsed ? sandboxOf(config, secret, undefined) : undefined
}

/** The defaults of all options, except those that a test would have to change. */
function plainConfig(root: string, base: string): Config {
  const defaults = options.map(({ key, parser, default: text }) => [
    key,
    text === undefined ? undefined : parser.parse(text),
  ])
  const { config: _file, ...config } = Object.fromEntries(defaults) as Settings
  return {
    ...config,
    root,
    port: 0,
    database: join(base, 'state.json'),
    log: '',
    logMaxSize: Number.POSITIVE_INFINITY,
    socketPerm: 0o666,
    password,
    configFile: undefined,
  }
}

function movableClock() {
  let offset = 0
  let stopped: number | undefined
  return {
    /** The time of the computer, which may differ from the time that the server uses. */
    wall: () => (stopped ?? Date.now()) + offset,
    elapsed: () => stopped ?? Date.now(),
    /** From now on, time passes only when the test advances it. */
    stop() {
      stopped = Date.now()
    },
    advance({ days = 0, hours = 0, minutes = 0, seconds = 0 }) {
      offset += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
    },
  }
}
