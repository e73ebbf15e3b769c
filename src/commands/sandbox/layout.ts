import { isWithin } from '#src/files/paths/user-path.ts'
import type { ShownTree } from '#src/files/tree-walk/shown-tree.ts'
import type { SystemFiles } from './system-files.ts'

/** What one command may see of the disk, and how it begins. */
export interface View {
  shown: ShownTree
  /** Whether files may be changed, made and deleted. */
  isWritable: boolean
  /** Real path of the folder it starts in. */
  folder: string
}

/** A part of the disk at its place in the sandbox. */
export interface Bind {
  path: string
  source: string
  isFolder: boolean
  isWritable: boolean
}

/**
 * The mounts of a sandbox, in the order in which they are made. `/proc`, `/dev` and `/tmp` are made between `system` and
 * `cover`. In the end the root is read-only, and so is `cover`.
 */
export interface Layout {
  system: readonly Bind[]
  systemLinks: readonly { path: string; target: string }[]
  /** A folder that hides what is below it in the system; the person's folder is shown in it. */
  cover: string | undefined
  folders: readonly string[]
  parts: readonly Bind[]
  links: readonly { path: string; target: string }[]
}

/** Bytes of the own /tmp of a command, of its /dev/shm, and of folders that hold mounts only. */
export const sizes = { tmp: 64 * 1024 ** 2, shm: 16 * 1024 ** 2, cover: 1024 ** 2 }

/** Folders that each sandbox has for itself. Nobody's files lie there. */
export const kernelFolders = ['/proc', '/sys', '/dev']

/**
 * Real paths that are never shown as a part of a person's folder, also where it is the whole disk: the system and what a
 * sandbox has for itself.
 */
export function closedBy({ folders, links }: SystemFiles): string[] {
  return [...folders, ...links.map(({ path }) => path), ...kernelFolders, '/tmp', '/run']
}

/** Orders the mounts. Where the person's folder holds the system, the system is mounted over it, read-only. */
export function layOut(system: SystemFiles, served: string, { shown, isWritable }: View): Layout {
  const { root, isWhole } = shown
  const programs = system.folders.map((path) => ({ path, source: path, isFolder: true, isWritable: false }))
  const isOver = ({ path }: { path: string }) => isWithin(path, root)
  const isBelowSystem = system.folders.some((folder) => isWithin(root, folder) && root !== folder)
  const parts = shown.parts.map(({ path, isFolder }) => ({ path, source: path, isFolder, isWritable }))
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
    links: shown.links,
  }
}
