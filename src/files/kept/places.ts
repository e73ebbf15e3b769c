import { errnoOf } from '#src/core/errno.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import { isInside } from '#src/files/paths/path-access.ts'
import { mountsOf, mountsVersion, rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { createPlace } from './create-place.ts'
import { createDiskTops, folderOfKey, keyOf } from './disk-top.ts'
import { type FolderSite, namesAtTop, openKeptFolder } from './kept-folder.ts'
import type { Place } from './place.ts'

export type { KeptRecord } from './kept-record.ts'
export type { Place }

/** The places for kept items: one for each disk that is part of the served folder. */
export interface Places {
  /**
   * The place for entries of the folder with this real path. Undefined: nothing can be kept there (read-only, full,
   * foreign, another file system).
   *
   * @throws Problem `disk.silent`, or the error of the system
   */
  placeFor(folder: string): Promise<Place | undefined>
  /** The place with this key; undefined: it is not there now (not mounted, silent). */
  byKey(key: string): Promise<Place | undefined>
  /** The places that exist now, for rebuilding. Subvolumes of btrfs are included once they were used. */
  all(): Promise<Place[]>
  /**
   * Real paths of the hidden folders below a real folder, for programs that must not see them. Makes those that are
   * missing on disks that are mounted there, so that none appears while a program runs.
   */
  foldersIn(folder: string): Promise<string[]>
  /** Makes the place of the served folder, so that it exists when the disk is full, and finishes interrupted deletions. */
  resume(): Promise<void>
}

/** What the places need. */
export interface PlacesOptions {
  /** Real path of the served folder. */
  root: string
  /** Real path of the folder with Coffer's own data. Its place is used for entries on the same disk. */
  stateFolder: string
  /** Deletes a tree at an address, on a worker thread. */
  removeTree(address: string): Promise<unknown>
  log: Logger
}

// The place checks its folder again at each call.
const rememberedMs = 100
const stateKey = 'state'
const stateName = 'kept'

const siteAt = (top: string): FolderSite => ({ top, names: namesAtTop })

/** Creates the access to the places of an instance. */
export function createPlaces({ root, stateFolder, removeTree, log }: PlacesOptions): Places {
  const tops = createDiskTops(root)
  /** Keys of places that were used, for subvolumes, which no table lists. */
  const used = new Set<string>()
  const warned = new Set<string>()

  async function open(key: string, site: FolderSite, creates: boolean): Promise<Place | undefined> {
    await using folder = await openKeptFolder(site, { creates })
    if (!folder) return undefined
    used.add(key)
    if (site.names.length > 1 && !folder.real.endsWith(site.names[0] ?? '') && !warned.has(key)) {
      warned.add(key)
      log.warn({ place: key }, `the folder for deleted entries has another name: ${folder.real}`)
    }
    return createPlace({ key, root, site, real: folder.real, removeTree, log })
  }

  const stateSite = { top: stateFolder, names: [stateName] }

  /** Whether a rename from the folder to the data folder stays on one disk. */
  async function isOnStateDisk(folder: string): Promise<boolean> {
    return (await tops.diskOf(folder)) === (await tops.diskOf(stateFolder))
  }

  async function findPlace(folder: string): Promise<Place | undefined> {
    await rejectUnresponsive(folder, keyOf(root, folder))
    if (await isOnStateDisk(folder)) {
      const place = await open(stateKey, stateSite, true)
      if (place) return place
    }
    const top = await tops.topOf(folder)
    return open(keyOf(root, top), siteAt(top), true)
  }

  const placeFor = rememberLast(findPlace)

  async function byKey(key: string): Promise<Place | undefined> {
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

  async function all(): Promise<Place[]> {
    const mounted = mountsOf(root).map(({ place }) => place)
    const inside = mounted.filter((place) => isInside(place, root)).map((place) => keyOf(root, place))
    const keys = new Set([stateKey, '/', ...inside, ...used])
    const places: Place[] = []
    for (const key of keys) {
      const place = await byKey(key)
      if (place) places.push(place)
    }
    return places
  }

  return {
    placeFor,
    byKey,
    all,
    foldersIn: (folder) =>
      hiddenFoldersIn(
        folder,
        [...used].map((key) => folderOfKey(root, key)),
      ),
    async resume() {
      await placeFor(root).catch(() => {}) // the first deletion tries again and reports the error
      for (const place of await all()) await place.resume()
    },
  }
}

/**
 * Remembers the last answer for a moment, for many changes in one folder. Does not read the table of mounts each time: if
 * it has just changed, the rename fails.
 */
function rememberLast(find: Places['placeFor']): Places['placeFor'] {
  let last: { folder: string; mounts: number; at: number; place: Place } | undefined
  return async (folder) => {
    const mounts = mountsVersion()
    const isSame = last?.folder === folder && last.mounts === mounts
    if (last && isSame && performance.now() - last.at < rememberedMs) return last.place
    const place = await find(folder)
    last = place && { folder, mounts, at: performance.now(), place }
    return place
  }
}

/** @see Places.foldersIn */
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
