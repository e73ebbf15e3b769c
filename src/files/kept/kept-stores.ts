import type { Logger } from '#src/core/log/log.ts'
import { errnoOf, Problem } from '#src/core/problem.ts'
import { isInside } from '#src/files/paths/path-access.ts'
import { mountsOf, mountsVersion, rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { createKeptStore } from './create-store.ts'
import { createDiskTops, folderOfKey, keyOf } from './disk-top.ts'
import { type FolderSite, namesAtTop, openKeptFolder } from './kept-folder.ts'
import type { KeptStore } from './kept-store.ts'

export type { KeptRecord } from './kept-record.ts'
export type { KeptStore }

/** The stores for kept items: one for each disk that is part of the served folder. */
export interface KeptStores {
  /**
   * The store for entries of the folder with this real path. Undefined: nothing can be kept there (read-only, full,
   * foreign, another file system).
   *
   * @throws Problem `disk.silent`, or the error of the system
   */
  storeFor(folder: string): Promise<KeptStore | undefined>
  /** The store with this key; undefined: it is not there now (not mounted, silent). */
  byKey(key: string): Promise<KeptStore | undefined>
  /** The stores that exist now, for rebuilding. Subvolumes of btrfs are included once they were used. */
  all(): Promise<KeptStore[]>
  /**
   * Real paths of the hidden folders below a real folder, for programs that must not see them. Makes those that are
   * missing on disks that are mounted there, so that none appears while a program runs.
   */
  foldersIn(folder: string): Promise<string[]>
  /** Makes the store of the served folder, so that it exists when the disk is full, and finishes interrupted deletions. */
  resume(): Promise<void>
}

/** What the stores need. */
export interface PlacesOptions {
  /** Real path of the served folder. */
  root: string
  /** Real path of the folder with Coffer's own data. Its store is used for entries on the same disk. */
  stateFolder: string
  /** Deletes a tree at an address, on a worker thread. */
  removeTree(address: string): Promise<unknown>
  log: Logger
}

// The store checks its folder again at each call.
const rememberedMs = 100
const stateKey = 'state'
const stateName = 'kept'

const siteAt = (top: string): FolderSite => ({ top, names: namesAtTop })

/** Creates the access to the stores of an instance. */
export function createKeptStores({ root, stateFolder, removeTree, log }: PlacesOptions): KeptStores {
  const tops = createDiskTops(root)
  /** Keys of stores that were used, for subvolumes, which no table lists. */
  const used = new Set<string>()
  const warned = new Set<string>()

  async function open(key: string, site: FolderSite, creates: boolean): Promise<KeptStore | undefined> {
    await using folder = await openKeptFolder(site, { creates })
    if (!folder) return undefined
    used.add(key)
    if (site.names.length > 1 && !folder.real.endsWith(site.names[0] ?? '') && !warned.has(key)) {
      warned.add(key)
      log.warn({ place: key }, `the folder for deleted entries has another name: ${folder.real}`)
    }
    return createKeptStore({ key, root, site, real: folder.real, removeTree, log })
  }

  const stateSite = { top: stateFolder, names: [stateName] }

  /** Whether a rename from the folder to the data folder stays on one disk. */
  async function isOnStateDisk(folder: string): Promise<boolean> {
    return (await tops.diskOf(folder)) === (await tops.diskOf(stateFolder))
  }

  async function findStore(folder: string): Promise<KeptStore | undefined> {
    await rejectUnresponsive(folder, keyOf(root, folder))
    if (await isOnStateDisk(folder)) {
      const store = await open(stateKey, stateSite, true)
      if (store) return store
    }
    const top = await tops.topOf(folder)
    return open(keyOf(root, top), siteAt(top), true)
  }

  const storeFor = rememberLast(findStore)

  async function byKey(key: string): Promise<KeptStore | undefined> {
    if (key === stateKey) return open(stateKey, stateSite, false)
    const top = folderOfKey(root, key)
    try {
      if (!isInside(top, root)) return undefined
      await rejectUnresponsive(top, key)
      if ((await tops.topOf(top)) !== top) return undefined
      return await open(key, siteAt(top), false)
    } catch (error) {
      if (!(error instanceof Problem) && errnoOf(error) === undefined) throw error
      return undefined // the disk is gone or fails: what it holds is there again when it is
    }
  }

  async function all(): Promise<KeptStore[]> {
    const mounted = mountsOf(root).map(({ place }) => place)
    const inside = mounted.filter((each) => isInside(each, root)).map((each) => keyOf(root, each))
    const keys = new Set([stateKey, '/', ...inside, ...used])
    const stores: KeptStore[] = []
    for (const key of keys) {
      const store = await byKey(key)
      if (store) stores.push(store)
    }
    return stores
  }

  return {
    storeFor,
    byKey,
    all,
    foldersIn: (folder) =>
      hiddenFoldersIn(
        folder,
        [...used].map((key) => folderOfKey(root, key)),
      ),
    async resume() {
      await storeFor(root).catch(() => {}) // the first deletion tries again and reports the error
      for (const store of await all()) await store.resume()
    },
  }
}

/**
 * Remembers the last answer for a moment, for many changes in one folder. Does not read the table of mounts each time: if
 * it has just changed, the rename fails.
 */
function rememberLast(find: KeptStores['storeFor']): KeptStores['storeFor'] {
  let last: { folder: string; mounts: number; at: number; store: KeptStore } | undefined
  return async (folder) => {
    const mounts = mountsVersion()
    const isSame = last?.folder === folder && last.mounts === mounts
    if (last && isSame && performance.now() - last.at < rememberedMs) return last.store
    const store = await find(folder)
    last = store && { folder, mounts, at: performance.now(), store }
    return store
  }
}

/** @see KeptStores.foldersIn */
async function hiddenFoldersIn(folder: string, used: readonly string[]): Promise<string[]> {
  const mounted = mountsOf(folder).map(({ place }) => place)
  const inside = new Set([folder, ...mounted, ...used].filter((top) => isInside(top, folder)))
  const found: string[] = []
  for (const top of inside) {
    // At the top of the served folder it exists if it is used (`resume`).
    const creates = mounted.includes(top)
    await using hidden = await openKeptFolder(siteAt(top), { creates }).catch(() => undefined)
    if (hidden) found.push(hidden.real)
  }
  return found
}
