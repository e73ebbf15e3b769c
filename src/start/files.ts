import type { FileModes } from '#src/access/modes.ts'
import type { Principal } from '#src/access/principal.ts'
import { createBookmarks } from '#src/bookmarks/bookmarks.ts'
import type { Config } from '#src/config/config.ts'
import { createClamd } from '#src/core/clamd/clamd.ts'
import { type Clock, systemClocks } from '#src/core/clock.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { Quotas } from '#src/core/concurrency/quotas.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Scans } from '#src/core/database/scans.ts'
import type { Logger } from '#src/core/log/log.ts'
import type { Records } from '#src/core/storage/records.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { createRights } from '#src/details/rights.ts'
import { createEntries } from '#src/entries/entries.ts'
import { createFreeNames } from '#src/entries/free-names.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import { createLister, createListings } from '#src/entries/list.ts'
import { createArchiver } from '#src/files/archive/archiver.ts'
import type { Change } from '#src/files/changes/change.ts'
import { createOwnerNames } from '#src/files/metadata/owner-names.ts'
import type { FoundMetadata } from '#src/files/metadata/read-batch.ts'
import type { MetadataResult, MetadataTask } from '#src/files/metadata/tasks.ts'
import type { HashTask } from '#src/files/reading/hash-file.ts'
import type { TreeResult, TreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { limitTreeWorkers } from '#src/files/trees/tree-context.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { createHeldFiles } from '#src/held/held.ts'
import type { HeldFile } from '#src/held/held-record.ts'
import type { Finding } from '#src/held/receiving.ts'
import { createReceiving, type ReceivingOptions } from '#src/held/receiving.ts'
import { createKept } from '#src/kept/kept.ts'
import { readerLimits } from '#src/metadata/batches.ts'
import { createMetadata } from '#src/metadata/metadata.ts'
import { createMetadataCache } from '#src/metadata/metadata-cache.ts'
import { createAnnouncer } from '#src/operations/followers.ts'
import { createPreviews } from '#src/previews/previews.ts'
import type { Sandbox } from '#src/sandbox/sandbox.ts'
import type { ScanResult, ScanTask } from '#src/search/scan-tree.ts'
import type { ShareTracking } from '#src/shares/following/share-tracking.ts'
import { frontMatterThreads } from '#src/site/front-matter/front-matter-reader.ts'
import type { FrontMatterResult, FrontMatterTask } from '#src/site/front-matter/front-matter-task.ts'
import type { SiteRecord } from '#src/site/website/site-records.ts'
import type { Store } from '#src/state/store.ts'
import type { UploadRecord } from '#src/uploads/pending-uploads.ts'
import { createUploads } from '#src/uploads/uploads.ts'
import { createViewTracking } from '#src/users/view-tracking.ts'
import { createFollowers, type FollowingServices } from './followers.ts'
import { createHistory } from './history.ts'
import { createSiteOf } from './site.ts'

interface FileSources {
  store: Store
  database: Database
  clock: Clock
  log: Logger
  tempFiles: TempFileJournal
  locks: KeyedLock
  hooks: Hooks
  modes: () => FileModes
  events: FollowingServices['events']
  limits: Quotas
  scans: Scans
  pools: ReturnType<typeof createPools>
  following: ShareTracking
  personOf(userId: number, change?: Change): Principal | undefined
  records: { uploads: Records<UploadRecord>; site: Records<SiteRecord>; held: Records<HeldFile> }
  /** Called when the virus scanner has found something. */
  onFound(finding: Finding): void
  stateFolder: string
  offMs?: number | undefined
  cacheFolder: string
  siteSandbox?: Sandbox | undefined
}

/** Creates the services that read and change users' files, and the operations in which they do it. */
export function createFileServices(
  config: Config,
  { limits, pools, following, records, personOf, siteSandbox, cacheFolder, ...sources }: FileSources,
) {
  const { clock } = sources
  const { lister, workers } = pools
  const freeNames = createFreeNames(sources)
  const common = { ...sources, freeNames, parts: sources.tempFiles, files: limits.files }
  const workersOf = limitTreeWorkers(workers, limits.trees)
  const cache = createMetadataCache(sources.database, clock)
  const onPlaceholder = (...made: Parameters<typeof cache.storePlaceholder>) =>
    void cache.storePlaceholder(...made)
  const previews = createPreviews({ folder: cacheFolder, config, clock, onPlaceholder })
  const { elapsed } = systemClocks
  const readers = pools.metadataReaders
  const owners = createOwnerNames({ elapsed })
  const metadata = createMetadata({ readers, cache, owners, files: limits.files, elapsed })
  const { root } = config
  const views = createViewTracking(sources.store, personOf)
  const announcer = createAnnouncer(sources)
  const { kept: announceKept, forget } = announcer
  const history = createHistory(config, { ...sources, workers, announcer })
  const { operations, stores, keeper } = history
  const receiving = createReceivingOf(config, { ...sources, stores, records: records.held })
  const { examiner } = receiving
  const uploads = createUploads({ ...common, records: records.uploads, examiner })
  const listings = createListings(lister, limits.listings)
  const entries = createEntries({ ...common, listings, workers: workersOf, forget, stores, root, examiner })
  const held = createHeldFiles(receiving, { ...history, ...common, root, entries, personOf })
  const kept = createKept({ ...history, ...common, root, announceKept, entries, workers: workersOf })
  const bookmarks = createBookmarks({ ...common, root })
  const siteSources = {
    ...common,
    stores,
    cacheFolder,
    records: records.site,
    entries,
    operations,
    personOf,
    frontMatterThreads: pools.frontMatter,
  }
  const site = createSiteOf(config, siteSources, siteSandbox)
  const caches = [{ remove: previews.removeCached }, cache]
  const { events } = sources
  announcer.follow(
    createFollowers({ root, clock, keeper, shares: following, views, uploads, caches, site, events }),
  )
  return {
    entries,
    uploads,
    previews,
    metadata,
    operations,
    stores,
    /** Finishes what a killed server has left. Called once, before the first request. */
    recover: () => history.recover().then(held.start),
    keeper,
    announceKept,
    ...kept,
    held,
    bookmarks,
    site,
    rights: createRights({ files: limits.files, workers: workersOf }),
  }
}

/** Creates the thread pools for work on files. */
export function createPools() {
  return {
    lister: createLister(),
    archiver: createArchiver(),
    workers: createWorkerPool<TreeTask, TreeResult>('tree', { threads: threads.tree }),
    scanners: createWorkerPool<ScanTask, ScanResult, string[]>('scan', { threads: threads.scan }),
    hashers: createWorkerPool<HashTask, string>('hash', { threads: threads.hash }),
    frontMatter: createWorkerPool<FrontMatterTask, FrontMatterResult>('front-matter', frontMatterThreads),
    metadataReaders: createWorkerPool<MetadataTask, MetadataResult, FoundMetadata>('metadata', {
      threads: threads.metadata,
      ...readerLimits,
    }),
  }
}

/** Creates what examines received files, with the scanner of the configuration. */
function createReceivingOf(
  { clamd, clamdAll, root }: Config,
  sources: Omit<ReceivingOptions, 'clamd' | 'coversUsers' | 'root'>,
) {
  return createReceiving({ ...sources, root, clamd: clamd && createClamd(clamd), coversUsers: clamdAll })
}
