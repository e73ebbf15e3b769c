// The names of a model of a file system, in memory and on its disk.
import type { Content } from './content.ts'

/**
 * How names reach the disk. `alone`: a flush of a folder writes only its own names, as POSIX says. `in order`: it also
 * writes all changes of names before its own last one, because they go through one journal (ext4, XFS, btrfs).
 */
export type NameOrder = 'alone' | 'in order'

/**
 * What is left after a power cut. `least`: only the names that were flushed. `most`: all names, because the system may
 * have written them early. The bytes of files are those that were flushed in both cases.
 */
export type Cut = 'least' | 'most'

/** A file. It may have several names, or none. */
export interface FileNode {
  content: Content
  /** The content that a power cut leaves. */
  flushed: Content
}

type Names = ReadonlyMap<string, TreeNode>

/** A folder. */
export interface FolderNode {
  /** The names after each change, with the number of the change. */
  readonly states: { change: number; names: Names }[]
  /** The number of the last change that was flushed. */
  flushed: number
}

export type TreeNode = FileNode | FolderNode

/** Whether a node is a folder. */
export function isFolder(node: TreeNode | undefined): node is FolderNode {
  return node !== undefined && 'states' in node
}

/** Returns an empty folder. */
export function newFolder(): FolderNode {
  return { states: [{ change: 0, names: new Map() }], flushed: 0 }
}

/** Creates the names below an empty folder. */
export function createTree(order: NameOrder) {
  const root = newFolder()
  let changes = 0
  let flushedInOrder = 0

  const namesIn = ({ states, flushed }: FolderNode, cut: Cut): Names => {
    const last = cut === 'most' ? changes : Math.max(flushed, flushedInOrder)
    return states.findLast(({ change }) => change <= last)?.names ?? new Map()
  }

  return {
    root,
    namesIn,

    /** Finds an entry by its path below `from`. */
    find(path: string, cut: Cut, from: TreeNode | undefined = root): TreeNode | undefined {
      let node: TreeNode | undefined = from
      for (const name of path.split('/').filter(Boolean)) {
        node = isFolder(node) ? namesIn(node, cut).get(name) : undefined
      }
      return node
    },

    /** Gives a node its names, or takes them away, as one change. */
    rename(places: readonly { folder: FolderNode; name: string; node: TreeNode | undefined }[]): void {
      changes++
      for (const { folder, name, node } of places) {
        const names = new Map(folder.states.at(-1)?.names)
        if (node) names.set(name, node)
        else names.delete(name)
        folder.states.push({ change: changes, names })
      }
    },

    /** Begins to flush the names of a folder. Returns what to call when the flush has ended. */
    flush(folder: FolderNode): () => void {
      const last = folder.states.at(-1)?.change ?? 0
      return () => {
        folder.flushed = Math.max(folder.flushed, last)
        if (order === 'in order') flushedInOrder = Math.max(flushedInOrder, last)
      }
    },

    /** All files below a folder. */
    *files(folder: TreeNode | undefined, cut: Cut): Generator<FileNode> {
      if (!isFolder(folder)) return
      for (const node of namesIn(folder, cut).values()) {
        if (isFolder(node)) yield* this.files(node, cut)
        else yield node
      }
    },
  }
}

export type Tree = ReturnType<typeof createTree>
