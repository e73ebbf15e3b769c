import { isWithin } from '#src/files/paths/user-path.ts'
import type { ShownTree } from '#src/files/tree-walk/shown-tree.ts'
import type { SystemFiles } from './system-files.ts'

/** What one command may see of the disk, and where it starts. */
export interface SandboxView {
  shown: ShownTree
  /** Whether files may be changed, created and deleted. */
  isWritable: boolean
  /** Real path of the folder it starts in. */
  folder: string
  /** Real paths of folders of Coffer that it must not see, although they are in a folder that is shown. */
  masks?: readonly string[]
}

/** A file or folder of the disk, and its path in the sandbox. */
export interface Bind {
  path: string
  source: string
  isFolder: boolean
  isWritable: boolean
}

/**
 * The mounts of a sandbox, in the order they are made. `/proc`, `/dev` and `/tmp` are mounted between `system` and
 * `cover`. At the end the root and `cover` become read-only.
 */
export interface Layout {
  system: readonly Bind[]
  systemLinks: readonly { path: string; target: string }[]
  /** A folder whose content in the system is hidden. The user's folder is mounted in it. */
  cover: string | undefined
  folders: readonly string[]
  parts: readonly Bind[]
  /** Folders in the parts whose content is hidden: an empty folder is mounted over each, and no one may enter it. */
  masks: readonly string[]
  links: readonly { path: string; target: string }[]
}

/** Sizes in bytes: a command's private /tmp, its /dev/shm, and folders that contain only mounts. */
export const tmpfsSizes = { tmp: 64 * 1024 ** 2, shm: 16 * 1024 ** 2, cover: 1024 ** 2, mask: 4096 }

/** Folders that each sandbox has for itself. They contain no files of users. */
export const kernelFolders = ['/proc', '/sys', '/dev']

/**
 * Real paths that are never shown as part of a user's folder, even if the folder is the whole disk: the system
 * folders and the folders that a sandbox has for itself.
 */
export function neverShownPaths({ folders, links }: SystemFiles): string[] {
  return [...folders, ...links.map(({ path }) => path), ...kernelFolders, '/tmp', '/run']
}

/** Orders the mounts. If the user's folder contains system folders, these are mounted over it, read-only. */
export function orderMounts(
  system: SystemFiles,
  served: string,
  { shown, isWritable, masks = [] }: SandboxView,
): Layout {
  const { root, isWhole } = shown
  const programs = system.folders.map((path) => ({ path, source: path, isFolder: true, isWritable: false }))
  const isOver = ({ path }: { path: string }) => isWithin(path, root)
  const isBelowSystem = system.folders.some((folder) => isWithin(root, folder) && root !== folder)
  const parts = shown.parts.map((part) => ({
    path: part.path,
    source: part.path,
    isFolder: part.isFolder,
    isWritable: part.isWritable ?? isWritable,
  }))
  const cover = isBelowSystem ? served : root
  return {
    system: [
      ...programs.filter((bind) => !isOver(bind)),
      ...system.lookedUp.filter((file) => !isOver(file)).map((file) => ({ ...file, isWritable: false })),
    ],
    systemLinks: system.links,
    cover: root === '/' || (isWhole && !isBelowSystem) ? undefined : cover,
    folders: shown.folders.filter((path) => path !== '/'),
    parts: [...parts, ...programs.filter(isOver)],
    masks: masks.filter((mask) => parts.some(({ path, isFolder }) => isFolder && isWithin(mask, path))),
    links: shown.links,
  }
}
