import { createArchives } from '#src/archives/archives.ts'
import { createKeptSelections } from '#src/archives/kept-selections.ts'
import { type ActivityQuery, activityOf } from '#src/audit/activity.ts'
import { type Audit, createAudit } from '#src/audit/audit.ts'
import { scanEntry } from '#src/audit/scan-entry.ts'
import { forgetOtherUsers } from '#src/bookmarks/bookmarks.ts'
import { createInstanceInfo } from '#src/branding/instance-info.ts'
import { createCommands } from '#src/commands/commands.ts'
import { splitWords } from '#src/commands/split-words.ts'
import type { Config } from '#src/config/config.ts'
import type { Clock } from '#src/core/clock.ts'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { createQuotas } from '#src/core/concurrency/quotas.ts'
import type { Database } from '#src/core/database/database.ts'
import { createScans, type Scan } from '#src/core/database/scans.ts'
import type { Logger } from '#src/core/log/log.ts'
import type { RecentLines } from '#src/core/log/recent-lines.ts'
import type { Records } from '#src/core/storage/records.ts'
import { createDetails } from '#src/details/details.ts'
import { createEvents } from '#src/events/events.ts'
import { type DescriptorPlan, descriptorLimit, planDescriptors } from '#src/files/space/descriptors.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import type { HeldFile } from '#src/held/held-record.ts'
import type { Finding } from '#src/held/receiving.ts'
import { type BoundCommands, createHooks } from '#src/hooks/hooks.ts'
import { createNotices, forgetOtherNotices, type Notices } from '#src/notices/notices.ts'
import { cleanEnvironment } from '#src/sandbox/environment.ts'
import { run } from '#src/sandbox/run.ts'
import type { Sandbox } from '#src/sandbox/sandbox.ts'
import { createSearch } from '#src/search/search.ts'
import type { Shares } from '#src/shares/shares.ts'
import type { SiteRecord } from '#src/site/website/site-records.ts'
import type { StateDocument } from '#src/state/document.ts'
import type { SessionStore } from '#src/state/sessions.ts'
import type { Store } from '#src/state/store.ts'
import type { UploadRecord } from '#src/uploads/pending-uploads.ts'
import { createAccounts } from './accounts.ts'
import { createServerDoctor } from './doctor.ts'
import { createFileServices, createPools } from './files.ts'
import { createSharing } from './sharing.ts'

/** The opened state and the options that the services need. */
export interface OpenedState {
  store: Store
  /** The document of the store, for the checks of the whole state. */
  document: StateDocument
  sessionRecords: SessionStore
  uploadRecords: Records<UploadRecord>
  siteRecords: Records<SiteRecord>
  /** Received files that are held back. */
  heldRecords: Records<HeldFile>
  tempFiles: TempFileJournal
  /** What operations have done, and the audit log. */
  database: Database
  /** Real path of the folder with Coffer's own data. */
  stateFolder: string
  clock: Clock
  log: Logger
  /** Real paths that are not accessible through Coffer. */
  secret: readonly string[]
  /** The code for the set-up page. Undefined: there is an administrator. */
  setupCode?: string | undefined
  /** How long no server ran before the start, in milliseconds. Undefined: unknown. */
  offMs?: number | undefined
  /** The cache folder. Its content may be deleted at any time. */
  cacheFolder: string
  /** The sandbox for commands. Undefined: commands are disabled, or run without a sandbox as configured. */
  sandbox?: Sandbox | undefined
  /** The sandbox for the generator of the website. Undefined: it runs without one. */
  siteSandbox?: Sandbox | undefined
  /** The last lines of the log. Undefined: they are not kept. */
  recentLines?: RecentLines | undefined
  /** Maximum number of open descriptors of the process. Undefined: the limit of the system. */
  openFiles?: number | undefined
}

/** Creates every service, in the order of their dependencies. */
export function createServices(
  config: Config,
  { store, sessionRecords, clock, log, cacheFolder, ...rest }: OpenedState,
) {
  const { secret, setupCode, uploadRecords, siteRecords, heldRecords } = rest
  const locks = createKeyedLock()
  const base = { store, clock, log }
  const history = { ...base, database: rest.database }
  const audit = createAudit(history)
  const onUserRemoved = () => forgetUsers(history)
  const opened = { ...base, sessionRecords, locks, secret, setupCode, audit, onUserRemoved }
  const { attempts, externalAuth, key, modes, ...people } = createAccounts(config, opened)
  const plan = divideDescriptors(config, rest.openFiles, log)
  const limits = createQuotas({ ...config, openFiles: plan.files }, clock)
  const scans = createScans(rest.database, limits.scans)
  const pools = createPools()
  const visiting = { attempts, key, audit, root: config.root }
  const { following, ...sharing } = createSharing({ ...history, ...people, ...visiting })
  const sources = { ...history, key, connections: plan.connections, files: limits.files }
  const telling = createTelling(config, { ...sources, linkEvents: sharing.linkEvents })
  const hooks = createBoundHooks(config, { settings: store.current.settings, log })
  const files = createFileServices(config, {
    ...base,
    ...rest,
    hooks,
    events: telling.events,
    modes,
    locks,
    limits,
    scans,
    pools,
    following,
    cacheFolder,
    personOf: people.auth.personOf,
    records: { uploads: uploadRecords, site: siteRecords, held: heldRecords },
    onFound: createFindingListener({ store, audit, ...telling }),
  })
  return {
    clock,
    ...createServerDoctor(config, { ...rest, cacheFolder, audit }),
    limits,
    scans,
    connections: plan.connections,
    maxUpload: config.maxUpload,
    baseUrl: config.baseUrl,
    /** How users sign in. */
    authMethod: externalAuth.method,
    ...people,
    servedRoot: config.root,
    audit,
    activity: (scan: Scan, query: ActivityQuery) => activityOf(scan, config.root, query),
    ...files,
    archives: createArchives(pools.archiver, limits),
    keptSelections: createKeptSelections(clock),
    ...sharing,
    ...telling,
    recover: () => recoverAll(files, telling.notices),
    search: createSearch(pools.scanners, limits),
    details: createDetails(pools.hashers, limits),
    commands: createCommands({ store, sandbox: rest.sandbox, config, stores: files.stores }),
    database: rest.database,
    instanceInfo: createInstanceInfo({ ...people, store, config, authMethod: externalAuth.method }),
    close: () => closeAll({ files, hooks, pools, ...sharing, audit, ...telling, sessions: people.sessions }),
  }
}

/** Creates what tells people something: the events for their pages, and the notices for owners of shares. */
function createTelling({ webhookAllow }: Config, { connections, files, ...given }: TellingSources) {
  const events = createEvents({ connections, files, log: given.log })
  const { sendUnread } = events
  return { events, notices: createNotices({ ...given, webhookAllow, sendUnread }) }
}

type TellingSources = Pick<Parameters<typeof createEvents>[0], 'connections' | 'files'> &
  Omit<Parameters<typeof createNotices>[0], 'webhookAllow' | 'sendUnread'>

/** Records what the virus scanner has found, and tells it. */
function createFindingListener({ store, audit, notices }: { store: Store; audit: Audit; notices: Notices }) {
  return (finding: Finding) => {
    audit.note(scanEntry(finding, store.current.user(finding.userId)?.username ?? ''))
    notices.found(finding)
  }
}

/** Removes what only users have who have no account any more. */
async function forgetUsers(history: Parameters<typeof forgetOtherUsers>[0]): Promise<void> {
  await Promise.all([forgetOtherUsers(history), forgetOtherNotices(history)])
}

/** Finishes what a killed server has left. Called once, before the first request. */
async function recoverAll(files: ReturnType<typeof createFileServices>, notices: Notices): Promise<void> {
  await files.recover()
  await notices.start()
}

function createBoundHooks(
  { enableExec: isEnabled, root: served }: Config,
  given: Pick<Parameters<typeof createHooks>[0], 'settings' | 'log'>,
): BoundCommands {
  return createHooks({ ...given, isEnabled, served, env: cleanEnvironment(), run, splitWords })
}

/** Divides the descriptors of the process, and logs a warning when they are few. */
function divideDescriptors(config: Config, openFiles: number | undefined, log: Logger): DescriptorPlan {
  const limit = openFiles ?? descriptorLimit()
  const plan = planDescriptors(limit, config.connections)
  const { connections, files, needed } = plan
  if (needed !== undefined) {
    const advice = `raise it to ${needed} (LimitNOFILE= in a systemd unit, ulimit -n in a shell)`
    log.warn({ limit, connections, files }, `the limit on open files is low: ${advice}`)
  }
  return plan
}

export type Services = ReturnType<typeof createServices>

/** What must be closed, or saved, when the server stops. */
interface Closed {
  files: ReturnType<typeof createFileServices>
  hooks: BoundCommands
  events: { close(): void }
  pools: ReturnType<typeof createPools>
  shares: Shares
  closeDownloads(): Promise<void>
  audit: Audit
  notices: Notices
  sessions: { save(): Promise<void> }
}

/** Ends all threads and saves what is only in memory. */
async function closeAll({
  files,
  hooks,
  events,
  pools,
  shares,
  closeDownloads,
  audit,
  notices,
  sessions,
}: Closed): Promise<void> {
  // Before the threads that it uses.
  await files.keeper.close()
  for (const one of [hooks, files.uploads, files.held, files.site, events]) one.close()
  await Promise.all([...Object.values(pools), files.previews, shares].map((one) => one.close()))
  // Before the notices that it tells.
  await closeDownloads()
  await notices.close()
  await sessions.save()
  await audit.close()
}
