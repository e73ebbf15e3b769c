import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { isHash } from '#src/core/access/passwords.ts'
import { entryOf, removeEntry, setEntry } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import { newSettings } from '#src/state/defaults.ts'
import { currentVersion } from '#src/state/migrations.ts'
import { type State, stateFault } from '#src/state/state.ts'
import type { Served } from './mapping/scopes.ts'
import { mapSettings } from './mapping/settings.ts'
import { mapShares, withOwners } from './mapping/shares.ts'
import { mapSite } from './mapping/site.ts'
import { noteCommands, noteStartOptions } from './mapping/start-options.ts'
import { type MappedUser, mapUsers } from './mapping/users.ts'
import { RecordFault } from './reading/fields.ts'
import { type InputFile, refusal } from './reading/input-file.ts'
import { createReport, type Report, type ReportWriter } from './report/report.ts'

/** What an import would write. */
export interface Plan {
  readonly state: State
  readonly report: Report
  /** Whether all users are new. Then nothing of the old users may pass to new ones with the same ids. */
  readonly replacesUsers: boolean
}

/** What a plan is made for. */
export interface PlanContext {
  /** The current state. Undefined: there is none. */
  existing: State | undefined
  /** Real path of the served folder. */
  root: string
  secret: readonly string[]
  /** Milliseconds since 1970. */
  now: number
}

/**
 * Returns the state that an import writes, and a report. Changes nothing. What the files contain replaces the same part of
 * the current state.
 *
 * @throws StartupProblem when two files contain the same part, when a record cannot be imported, or when no administrator
 * would exist.
 */
export async function planImport(files: readonly InputFile[], context: PlanContext): Promise<Plan> {
  const [usersFile, settingsFile] = [onlyOne(files, 'users'), onlyOne(files, 'settings')]
  const report = createReport()
  const served = servedBy(files, context)
  const draft: State = context.existing ? structuredClone(context.existing) : emptyState()
  if (settingsFile) await inFile(settingsFile, () => takeSettings(draft, settingsFile, { served, report }))
  if (usersFile)
    await inFile(usersFile, () => takeUsers(draft, usersFile, { served, report, now: context.now }))
  const optionsFile = files.find(({ server }) => server) ?? settingsFile
  if (optionsFile) {
    await inFile(optionsFile, async () => {
      noteStartOptions({ ...optionsFile, server: optionsFile.server, auther: optionsFile.auther }, report)
      noteCommands(
        { server: optionsFile.server, settings: draft.settings, canExecute: canExecute(draft) },
        report,
      )
    })
  }
  adviseAboutRoot(served, report)
  refuseWithoutAdmin(draft, report)
  const fault = stateFault(draft)
  if (fault !== undefined)
    throw refusal(files.map(({ file }) => file).join(', '), `${fault} in the new state`)
  return { state: draft, report: report.report, replacesUsers: usersFile !== undefined }
}

/** The only file with a part. Undefined: no file has it. @throws StartupProblem. */
function onlyOne(files: readonly InputFile[], part: 'users' | 'settings'): InputFile | undefined {
  const [first, second] = files.filter((file) => file[part] !== undefined)
  if (first && second)
    throw new StartupProblem(`${first.file} and ${second.file} both contain ${part}: import one of them.`)
  return first
}

/** @throws StartupProblem with the name of the file. */
async function inFile<T>({ file }: InputFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof RecordFault ? refusal(file, error.message, error) : error
  }
}

function servedBy(files: readonly InputFile[], { root, secret }: PlanContext): Served {
  const written = files.map(({ server }) => server?.text('root')).find((text) => text)
  const previousRoot = written?.startsWith('/') ? resolve(written) : undefined
  return { root, secret, previousRoot, hasDiskScopes: hasDiskScopes(files) }
}

/** Fields that File Browser has had since a version tell how it read absolute scopes, which changed in 2.22. */
function hasDiskScopes(files: readonly InputFile[]): boolean | undefined {
  if (files.some(({ isFirstVersion }) => isFirstVersion)) return true
  const settings = files.find((file) => file.settings)?.settings
  if (settings) return !settings.has('userHomeBasePath')
  const users = files.flatMap((file) => file.users ?? [])
  if (users.some((user) => user.has('aceEditorTheme'))) return false
  return users.some((user) => user.has('dateFormat')) ? undefined : true
}

function emptyState(): State {
  return {
    // The number of the migrations decides it, and `stateFault` checks it.
    version: currentVersion as State['version'],
    nextUserId: 1,
    users: {},
    credentials: { signingKey: newKey(), passwords: {} },
    settings: newSettings(),
    shares: {},
  }
}

const newKey = () => randomBytes(64).toString('base64')

interface Mapping {
  served: Served
  report: ReportWriter
}

async function takeSettings(
  draft: State,
  { settings }: InputFile,
  { served, report }: Mapping,
): Promise<void> {
  if (!settings) return
  draft.settings = await mapSettings(settings, { base: draft.settings, served, report })
  const site = mapSite(settings, served, report)
  if (site) draft.settings.staticGen = site
}

async function takeUsers(draft: State, file: InputFile, context: Mapping & { now: number }): Promise<void> {
  const { report } = context
  const mapped = await mapUsers(file.users ?? [], context.served, report)
  const before = draft.users
  draft.nextUserId = freeId(draft, mapped)
  draft.users = {}
  draft.credentials = { signingKey: newKey(), passwords: {} }
  delete draft.unprinted
  // The parts of an interrupted restore belong to the previous users.
  delete draft.restoring
  for (const { record, hash } of mapped) {
    setEntry(draft.users, record.id, record)
    if (hash !== undefined) setEntry(draft.credentials.passwords, record.id, hash)
  }
  if (file.shares === undefined) return removeSharesOfOthers(draft, before, report)
  draft.shares = {}
  const users = mapped.map(({ record }) => record)
  const shares = [...file.shares, ...withOwners(file.ownerless ?? [], users, context)]
  const ids = new Map(mapped.map(({ record, previousId }) => [previousId, record]))
  const ownerOf = (share: (typeof shares)[number]) => ids.get(share.whole('userID'))
  for (const share of await mapShares(shares, { ...context, ownerOf }))
    setEntry(draft.shares, share.hash, share)
}

/** An id above all that any user, share or password has or had. */
function freeId({ nextUserId, users, shares, credentials }: State, mapped: readonly MappedUser[]): number {
  const ids = [
    ...Object.values(users).map(({ id }) => id),
    ...Object.values(shares).map(({ userID }) => userID),
    ...Object.keys(credentials.passwords).map(Number),
    ...mapped.map(({ record }) => record.id),
  ]
  return ids.reduce((next, id) => Math.max(next, id + 1), nextUserId)
}

/** A share stays only with the same user: the same id and the same name. */
function removeSharesOfOthers(draft: State, before: State['users'], { note }: ReportWriter): void {
  for (const { hash, userID, path } of Object.values(draft.shares)) {
    const [old, now] = [entryOf(before, userID), entryOf(draft.users, userID)]
    if (old && now && userNameKey(old.username) === userNameKey(now.username)) continue
    removeEntry(draft.shares, hash)
    const name = `${hash.slice(0, 2)}… ${path} of ${old?.username ?? 'nobody'}`
    note('share', name, 'dropped', 'its owner does not exist any more')
  }
}

function canExecute({ users, settings }: State): boolean {
  const all = [...Object.values(users), settings.defaults]
  return all.some(({ perm, commands }) => perm.execute && commands.length > 0)
}

function adviseAboutRoot({ root, previousRoot }: Served, { advise }: ReportWriter): void {
  if (previousRoot !== undefined && previousRoot !== root)
    advise(`File Browser served ${previousRoot}, and Coffer will serve ${root}: check --root.`)
}

/** @throws StartupProblem. */
function refuseWithoutAdmin({ users, credentials }: State, { advise }: ReportWriter): void {
  const admins = Object.values(users).filter(({ perm }) => perm.admin)
  if (admins.length === 0) {
    throw new StartupProblem(
      'No administrator would exist, so nothing has changed: import a file with one too, such as the database or the export of users.',
    )
  }
  const canSignIn = admins.some(({ id }) => isHash(entryOf(credentials.passwords, id) ?? ''))
  if (!canSignIn) advise('No administrator has a password: set one with coffer users passwd NAME.')
}
