import { dirname, join, relative, sep } from 'node:path'
import { errnoOf } from '#src/core/problem.ts'
import { stat } from '#src/files/paths/disk.ts'
import { isInside } from '#src/files/paths/path-access.ts'
import { mountAt, mountsVersion, refreshMounts } from '#src/files/paths/remote-mounts.ts'

/**
 * Finds the highest folder at or below `root` from which rename(2) reaches a folder. Mount points are boundaries, also
 * bind mounts of the same disk; so are subvolumes of btrfs, which are no mounts but have another device number.
 */
export function createDiskTops(root: string) {
  // The result for a mount and a device number, valid while nothing is mounted or unmounted.
  const known = new Map<string, string>()
  let version = -1

  return {
    /** The same text for folders between which rename(2) may work. @throws the system's error. */
    async diskOf(folder: string): Promise<string> {
      refreshMounts()
      return `${(await stat(folder)).dev} ${mountAt(folder)?.place}`
    },

    /**
     * The top for the folder with this real path, which is `root` or below it.
     *
     * @throws the system's error.
     */
    async topOf(folder: string): Promise<string> {
      refreshMounts()
      if (version !== mountsVersion() || known.size > maxKnown) known.clear()
      version = mountsVersion()
      const mount = mountAt(folder)?.place
      const limit = mount !== undefined && isInside(mount, root) ? mount : root
      const { dev } = await stat(folder)
      const key = `${dev} ${limit}`
      const before = known.get(key)
      // A subvolume may have been renamed or deleted meanwhile.
      if (before !== undefined && isInside(folder, before) && (await isOn(before, dev))) return before
      let top = folder
      while (top !== limit && (await isOn(dirname(top), dev))) top = dirname(top)
      known.set(key, top)
      return top
    },
  }
}

const maxKnown = 1000

async function isOn(folder: string, dev: number): Promise<boolean> {
  try {
    return (await stat(folder)).dev === dev
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false // the folder above cannot be examined, so that nothing can be renamed to it either
  }
}

/** The key of a top: its path relative to `root`, `/`-separated; `/` for `root` itself. */
export function keyOf(root: string, top: string): string {
  return `/${relative(root, top).split(sep).join('/')}`
}

/** The reverse of `keyOf`. */
export function folderOfKey(root: string, key: string): string {
  return key === '/' ? root : join(root, key)
}
