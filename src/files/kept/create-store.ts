import { constants } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, ignoreMissing, isDiskFull, lacksHardLinks } from '#src/core/problem.ts'
import { link, lstat, open, rename, statfs, unlink } from '#src/files/paths/disk.ts'
import { isInside } from '#src/files/paths/path-access.ts'
import { privateNames } from '#src/files/paths/read-folder.ts'
import { mountAt, mountsOf, remoteMountOf } from '#src/files/paths/remote-mounts.ts'
import { type KeptFolder, openKeptFolder } from './kept-folder.ts'
import {
  checkedId,
  contentOf,
  isHeldId,
  isId,
  isStray,
  type KeptRecord,
  readRecord,
  removeRecord,
  removeStray,
  systemError,
  writeRecord,
} from './kept-record.ts'
import type { KeptStore, KeptStoreOptions } from './kept-store.ts'
import { moveToFree, renameAnyFolder } from './move-to-free.ts'

const dyingPrefix = 'gone.'

/** Creates a store. Each call opens and checks its folder, and makes it again if it was deleted. */
export function createKeptStore(options: KeptStoreOptions): KeptStore {
  const { key, real } = options
  const access = createAccess(options)
  return {
    key,
    addressOf: (id) => join(real, checkedId(id)),
    ...createMoves(options, access),
    ...createRemovals(options, access),

    async find(id) {
      if (!isId(id)) return undefined
      return access.ifThere((folder) => lstat(contentOf(folder, id)).catch(ignoreMissing))
    },

    async open(id) {
      const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
      return access.inside(false, (folder) => open(contentOf(folder, id), O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    },

    async space() {
      return access.ifThere(async ({ address }) => {
        const { blocks, bavail, bsize } = await statfs(address)
        return { total: blocks * bsize, free: bavail * bsize }
      })
    },

    list: (isKnown = () => false) => itemsOf(options, (id) => isId(id) && !isHeldId(id) && !isKnown(id)),

    listHeld: () => itemsOf(options, isHeldId),
  }
}

/** The items with these ids. */
async function* itemsOf({ site }: KeptStoreOptions, isWanted: (id: string) => boolean) {
  await using folder = await openKeptFolder(site, { creates: false })
  if (!folder) return
  for (const id of await privateNames(folder.address))
    if (isWanted(id)) yield { id, record: await readRecord(folder, id) }
}

type Access = ReturnType<typeof createAccess>

// These write renames and links to the disk in their order: the flush of any folder later, which every operation ends
// with, includes them.
const orderedTypes = /^(ext[34]|xfs|btrfs|tmpfs)$/

function createAccess({ site, real }: KeptStoreOptions) {
  return {
    /** Makes what was done in the folder durable before anything that is done after it. */
    async flush(folder: KeptFolder): Promise<void> {
      if (!orderedTypes.test(mountAt(site.top)?.type ?? '')) await folder.flush()
    },

    /** Runs `work` in the folder, and makes it before with `creates`. @throws `EXDEV` when it cannot be used. */
    async inside<T>(creates: boolean, work: (folder: KeptFolder) => Promise<T>): Promise<T> {
      await using folder = await openKeptFolder(site, { creates })
      if (!folder) throw systemError(creates ? 'EXDEV' : 'ENOENT', `the folder ${real} cannot be used`)
      return await work(folder)
    },

    /** As `inside`, for a folder that must exist already. Undefined: there is none. */
    async ifThere<T>(work: (folder: KeptFolder) => Promise<T>): Promise<T | undefined> {
      await using folder = await openKeptFolder(site, { creates: false })
      return folder && (await work(folder))
    },
  }
}

function createMoves(
  { root, site }: KeptStoreOptions,
  { inside, flush }: Access,
): Pick<KeptStore, 'take' | 'keepOld' | 'putBack' | 'putOver'> {
  return {
    async take(id, address, record) {
      if (record.isFolder) refuseMounted(join(root, record.path))
      return inside(true, async (folder) => {
        const hasRecord = await writeRecord(folder, id, record)
        await renameAnyFolder(address, contentOf(folder, id))
          .catch(asOtherDisk(record))
          .catch(removingRecord(folder, id))
        await flush(folder)
        return { hasRecord }
      })
    },

    async keepOld(id, address, record) {
      return inside(true, async (folder) => {
        const hasRecord = await writeRecord(folder, id, record)
        const by = await linkOrRename(address, contentOf(folder, id)).catch(removingRecord(folder, id))
        await flush(folder)
        return { by, hasRecord }
      })
    },

    async putBack(id, address) {
      await inside(false, async (folder) => {
        await moveToFree(contentOf(folder, id), address, remoteMountOf(site.top) !== undefined)
        await removeRecord(folder, id)
        await flush(folder)
      })
    },

    async putOver(id, address) {
      await inside(false, async (folder) => {
        const content = contentOf(folder, id)
        await rename(content, address)
        // rename(2) does nothing for two names of one file.
        await unlink(content).catch(ignoreMissing)
        await removeRecord(folder, id)
        await flush(folder)
      })
    },
  }
}

function createRemovals(
  { key, removeTree, log }: KeptStoreOptions,
  { ifThere }: Access,
): Pick<KeptStore, 'forget' | 'condemn' | 'destroy' | 'resume'> {
  /** Only folders need a worker thread. */
  async function remove(address: string): Promise<unknown> {
    const stats = await lstat(address)
    return stats.isDirectory() ? removeTree(address) : unlink(address)
  }

  async function removeDying(folder: KeptFolder, dying: string): Promise<void> {
    await remove(join(folder.address, dying)).catch((err: unknown) => {
      if (errnoOf(err) === 'ENOENT') return
      log.warn({ err, place: key }, 'a deleted entry could not be removed from the disk')
    })
  }

  return {
    async forget(id) {
      await ifThere(async (folder) => {
        const content = contentOf(folder, id)
        const stats = await lstat(content).catch(ignoreMissing)
        if (stats && (stats.isDirectory() || stats.nlink < 2))
          throw systemError('EBUSY', 'this is the only name of the content')
        if (stats) await unlink(content)
        await removeRecord(folder, id)
      })
    },

    async condemn(id) {
      return ifThere(async (folder) => {
        const dying = `${dyingPrefix}${id}`
        const renamed = await rename(contentOf(folder, id), join(folder.address, dying)).then(
          () => dying,
          // A longer name may need another block of a full disk.
          (error: unknown) => (isDiskFull(error) ? id : void ignoreMissing(error)),
        )
        await removeRecord(folder, id)
        if (renamed === undefined) return undefined
        return async () => void (await ifThere((again) => removeDying(again, renamed)))
      })
    },

    async destroy(id) {
      const remove = await this.condemn(id)
      await remove?.()
    },

    async resume() {
      await ifThere(async (folder) => {
        const names = new Set(await privateNames(folder.address))
        for (const name of names) {
          if (name.startsWith(dyingPrefix)) await removeDying(folder, name)
          else if (isStray(name, names)) await removeStray(folder, name)
        }
      })
    },
  }
}

/**
 * For `.catch`: a folder of another user that this process may not write to cannot get a new parent. It counts as if it
 * were on another disk: if it is empty, it can still be deleted.
 */
function asOtherDisk({ isFolder }: KeptRecord): (error: unknown) => never {
  return (error) => {
    if (isFolder && errnoOf(error) === 'EACCES') throw systemError('EXDEV', 'the folder cannot be moved')
    throw error
  }
}

/** For `.catch`: removes the record of an entry that was not moved in, and rethrows. */
function removingRecord(folder: KeptFolder, id: string): (error: unknown) => Promise<never> {
  return async (error) => {
    await removeRecord(folder, id).catch(() => {}) // report the first failure
    throw error
  }
}

async function linkOrRename(address: string, content: string): Promise<'link' | 'rename'> {
  try {
    await link(address, content)
    return 'link'
  } catch (error) {
    // The system also forbids links to files of others (fs.protected_hardlinks), and a full disk may lack an inode.
    if (!lacksHardLinks(error) && !isDiskFull(error)) throw error
  }
  await rename(address, content)
  return 'rename'
}

/** @throws `EBUSY` when a disk is mounted in the folder: it would move along, and be deleted with the item. */
function refuseMounted(real: string): void {
  if (mountsOf(real).some(({ place }) => isInside(place, real)))
    throw systemError('EBUSY', 'a disk is mounted in the folder')
}
