import { createArchives } from '#src/archives/archives.ts'
import { createKeptSelections } from '#src/archives/kept-selections.ts'
import type { Principal } from '#src/auth/actor.ts'
import { createAuth } from '#src/auth/auth.ts'
import { createCaptcha } from '#src/auth/captcha.ts'
import { createExternalAuth } from '#src/auth/external-auth.ts'
import { createLoginLimiter } from '#src/auth/login-limiter.ts'
import { createProof } from '#src/auth/proof.ts'
import { createSessions, type SessionRecord } from '#src/auth/sessions.ts'
import { createBranding } from '#src/branding/branding.ts'
import { createInstanceInfo } from '#src/branding/instance-info.ts'
import { createCommands } from '#src/commands/commands.ts'
import { cleanEnvironment } from '#src/commands/sandbox/environment.ts'
import { run } from '#src/commands/sandbox/run.ts'
import type { Sandbox } from '#src/commands/sandbox/sandbox.ts'
import { splitWords } from '#src/commands/split-words.ts'
import type { Config } from '#src/config/config.ts'
import type { Clock } from '#src/core/clock.ts'
import { createKeyedLock, type KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { createQuotas, threads } from '#src/core/concurrency/quotas.ts'
import { createWorkerPool } from '#src/core/concurrency/worker-pool.ts'
import type { Logger } from '#src/core/log.ts'
import { isLoopback } from '#src/core/network.ts'
import type { Records } from '#src/core/state/records.ts'
import type { Store } from '#src/core/state/store.ts'
import { createProxyCheck } from '#src/core/trusted-proxies.ts'
import { createDetails } from '#src/details/details.ts'
import { createArchiver } from '#src/files/archive/archiver.ts'
import { createLister } from '#src/files/listing/lister.ts'
import type { HashTask } from '#src/files/reading/hash-file.ts'
import { type DescriptorPlan, descriptorLimit, planDescriptors } from '#src/files/space/descriptors.ts'
import type { FileState, TreeResult, TreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { limitTreeWorkers } from '#src/files/trees/tree-checks.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { createHooks } from '#src/hooks/hooks.ts'
import { createPreviews } from '#src/previews/previews.ts'
import { createListings } from '#src/resources/listings.ts'
import { createResources } from '#src/resources/resources.ts'
import type { ScanResult, ScanTask } from '#src/search/scan-tree.ts'
import { createSearch } from '#src/search/search.ts'
import { createFileModes, type FileModes } from '#src/settings/modes.ts'
import { createSettings } from '#src/settings/settings.ts'
import { createShareAccess } from '#src/shares/share-access.ts'
import { createShareTracking, type ShareTracking } from '#src/shares/share-tracking.ts'
import { createShares } from '#src/shares/shares.ts'
import { createTransfers } from '#src/transfers/transfers.ts'
import type { UploadRecord } from '#src/uploads/pending-uploads.ts'
import { createUploads } from '#src/uploads/uploads.ts'
import { createHomes } from '#src/users/homes.ts'
import { createProvisioning } from '#src/users/provisioning.ts'
import { createUsers } from '#src/users/users.ts'

/** The opened state and the options that the services need. */
export interface OpenedState {
  store: Store
  sessionRecords: Records<SessionRecord>
  uploadRecords: Records<UploadRecord>
  tempFiles: TempFileJournal
  clock: Clock
  log: Logger
  /** Real paths that are not accessible through Coffer. */
  secret: readonly string[]
  /** The cache folder. Its content may be deleted at any time. */
  cacheFolder: string
  /** The sandbox for commands. Undefined: commands are disabled, or run without a sandbox as configured. */
  sandbox?: Sandbox | undefined
  /** Maximum number of open descriptors of the process. Undefined: the limit of the system. */
  openFiles?: number | undefined
}

/** Creates every service, in the order of their dependencies. */
export function createServices(
  config: Config,
  { store, sessionRecords, uploadRecords, tempFiles, clock, secret, log, cacheFolder, ...rest }: OpenedState,
) {
  const locks = createKeyedLock()
  const { root: served, enableExec } = config
  const modes = createFileModes(store, config)
  const opened = { store, modes, sessionRecords, locks, clock, secret, log }
  const { attempts, vouching, key, ...people } = createPeople(config, opened)
  const { auth, sessions } = people
  const { sandbox, openFiles } = rest
  const plan = divideDescriptors(config, openFiles, log)
  const limits = createQuotas({ ...config, openFiles: plan.files }, clock)
  const branding = createBranding({ store, secret })
  const authMethod = vouching.method
  const settings = createSettings({ store, authMethod, checkFolder: branding.checkFolder })
  const pools = createPools()
  const { lister, archiver, workers, scanners, hashers } = pools
  const shares = createShares({ store, clock })
  const shareAccess = createShareAccess({ shares, attempts, clock, key, ownerOf: auth.personOf })
  const following = createShareTracking(store, auth.personOf)
  const commands = createCommands({ store, sandbox, config })
  const programs = { isEnabled: enableExec, served, env: cleanEnvironment(), run, splitWords }
  const hooks = createHooks({ store, log, ...programs })
  const common = { parts: tempFiles, locks, hooks, modes, files: limits.files }
  const listings = createListings(lister, limits.listings)
  const resources = createResources({ ...common, listings, shareTracking: following })
  const uploads = createUploads({ ...common, store, records: uploadRecords, clock, log })
  const search = createSearch(scanners, limits)
  const details = createDetails(hashers, limits)
  const workersFor = ({ user }: Principal) => limitTreeWorkers(workers, limits.trees, String(user.id))
  const previews = createPreviews({ folder: cacheFolder, config, clock })
  const forget = (states: readonly FileState[]) => void previews.removeCached(states)
  const own = { workers: workersFor, forget }
  const transfers = createTransfers({ ...common, ...own, shareTracking: notifyAll(following, uploads) })
  const archives = createArchives(archiver, limits)
  const instanceInfo = createInstanceInfo({ store, branding, config, authMethod })
  return {
    clock,
    limits,
    connections: plan.connections,
    maxUpload: config.maxUpload,
    baseUrl: config.baseUrl,
    ...people,
    resources,
    uploads,
    archives,
    keptSelections: createKeptSelections(clock),
    previews,
    transfers,
    shares,
    shareAccess,
    search,
    details,
    branding,
    settings,
    commands,
    instanceInfo,
    /** Ends all threads and saves what is only in memory. */
    async close(): Promise<void> {
      for (const one of [hooks, uploads]) one.close()
      await Promise.all([...Object.values(pools), previews, shares].map((one) => one.close()))
      await sessions.save()
    },
  }
}

/** Creates the thread pools for work on files. */
function createPools() {
  return {
    lister: createLister(),
    archiver: createArchiver(),
    workers: createWorkerPool<TreeTask, TreeResult>('tree', { threads: threads.tree }),
    scanners: createWorkerPool<ScanTask, ScanResult, string[]>('scan', { threads: threads.scan }),
    hashers: createWorkerPool<HashTask, string>('hash', { threads: threads.hash }),
  }
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

/** Notifies all followers, one after the other, of moved and removed resources. */
function notifyAll(
  ...followers: Pick<ShareTracking, 'onMoved' | 'onDeleted'>[]
): Pick<ShareTracking, 'onMoved' | 'onDeleted'> {
  return {
    async onMoved(from, to) {
      for (const one of followers) await one.onMoved(from, to)
    },
    async onDeleted(gone) {
      for (const one of followers) await one.onDeleted(gone)
    },
  }
}

/** Creates the services for users, sessions and signing in. */
function createPeople(
  config: Config,
  {
    store,
    modes,
    sessionRecords,
    locks,
    clock,
    secret,
    log,
  }: Omit<OpenedState, 'tempFiles' | 'uploadRecords' | 'cacheFolder'> & {
    locks: KeyedLock
    modes: () => FileModes
  },
) {
  const { root: served, noauth, authHeader } = config
  const atHome = !config.socket && isLoopback(config.address)
  const homes = createHomes({ store, modes, served, secret })
  const users = createUsers({ store, homes })
  const provisioning = createProvisioning({ store, users, homes, locks })
  const key = () => Buffer.from(store.data.credentials.signingKey, 'base64')
  const sessions = createSessions({
    records: sessionRecords,
    key,
    clock,
    tokenLifeMs: config.tokenExpirationMs,
    log,
  })
  const attempts = createLoginLimiter(clock, config.loginAttempts)
  const trusts = createProxyCheck(config.trustedProxy)
  const known = { store, users, provisioning }
  const vouching = createExternalAuth({
    ...known,
    noauth,
    isLoopbackOnly: atHome,
    authHeader,
    isTrustedPeer: trusts,
    log,
  })
  const { recaptchaHost: host, recaptchaSecret } = config
  const humanCheck = createCaptcha(recaptchaSecret ? { host, secret: recaptchaSecret } : undefined, clock)
  const accounts = { store, users, sessions, attempts, homes, provisioning }
  const auth = createAuth({
    ...accounts,
    servedRoot: served,
    secretPaths: secret,
    externalAuth: vouching,
    captcha: humanCheck,
  })
  const proof = createProof({ users, loginLimiter: attempts, externalAuth: vouching, clock })
  return { users, provisioning, sessions, attempts, vouching, auth, proof, key }
}
