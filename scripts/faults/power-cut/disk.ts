// A model of a file system and its disk. It follows the system calls of a record and drops at a power cut what was not
// flushed: bytes that were written after the last flush of their file began, and names that were changed after the last
// flush of their folder began. A flush of a file does not flush its name.
import { relative } from 'node:path'
import { copied, noContent, resized, written } from './content.ts'
import { bytesOf, type CallEvent, descriptorOf, type SystemCall } from './system-calls.ts'
import {
  createTree,
  type FileNode,
  type FolderNode,
  isFolder,
  type NameOrder,
  newFolder,
  type Tree,
  type TreeNode,
} from './tree.ts'

interface OpenNode {
  node: TreeNode
  position: number
  /** Whether each write flushes what it writes. */
  isFlushing: boolean
}

interface Model {
  /** The path of the folder that the model describes. */
  top: string
  tree: Tree
  descriptors: Map<number, OpenNode>
  /** What the end of each running flush changes. */
  flushes: Map<SystemCall, () => void>
}

/** A name in a folder, and the entry that has it now. */
export interface NamePlace {
  folder: FolderNode
  name: string
  node: TreeNode | undefined
}

/**
 * Creates the model of the folder `top`.
 *
 * @param folders the paths of the folders that were on the disk before the record, relative, parents first
 */
export function createDisk(top: string, folders: readonly string[], order: NameOrder) {
  const tree = createTree(order)
  const model: Model = { top, tree, descriptors: new Map(), flushes: new Map() }
  for (const path of folders) {
    const place = placeBelow(tree, path, tree.root)
    if (!place) continue
    tree.rename([{ ...place, node: newFolder() }])
    tree.flush(place.folder)()
  }
  return {
    tree,

    /** Follows one event of the record. Returns whether it may have changed something. */
    follow({ at, call }: CallEvent): boolean {
      if (at === 'start') {
        begin(model, call)
        return false
      }
      const effect = effects[call.name]
      if (!effect || call.result === undefined) return false
      effect(model, call)
      return true
    },

    /** The place that an argument of a call names. Undefined: it is outside of the model. */
    placeOf: (path: string | undefined, at?: string) => placeOf(model, path, at),

    /** The file of an open descriptor. Undefined: it is outside of the model. */
    fileOf: (arg: string | undefined) => fileOf(model, arg)?.node,
  }
}

export type Disk = ReturnType<typeof createDisk>

/** What the end of a successful call changes. */
const effects: Record<string, (model: Model, call: SystemCall) => void> = {
  open: (model, call) => open(model, { ...call, args: ['', ...call.args] }),
  openat: open,
  openat2: open,
  mkdir: (model, { args: [path] }) => make(model, placeOf(model, path), newFolder()),
  mkdirat: (model, { args: [at, path] }) => make(model, placeOf(model, path, at), newFolder()),
  write,
  pwrite64: write,
  writev: write,
  pwritev: write,
  pwritev2: write,
  ftruncate: resize,
  copy_file_range: copy,
  link: giveName,
  linkat: giveName,
  rename: giveName,
  renameat: giveName,
  renameat2: giveName,
  unlink: remove,
  unlinkat: remove,
  rmdir: remove,
  fsync: endFlush,
  fdatasync: endFlush,
  syncfs: endFlush,
}

function begin({ tree, descriptors, flushes }: Model, call: SystemCall): void {
  const number = descriptorOf(call.args[0])
  // From its start on, another thread may get the same number.
  if (call.name === 'close') descriptors.delete(number)
  if (!/sync/.test(call.name)) return
  const node = descriptors.get(number)?.node
  // A flush is only sure to contain what was written before its start.
  if (node) flushes.set(call, call.name === 'syncfs' ? flushAll(tree, tree.root) : flush(tree, node))
}

/** Begins a flush. Returns what to call when it has ended. */
function flush(tree: Tree, node: TreeNode): () => void {
  if (isFolder(node)) return tree.flush(node)
  const { content } = node
  return () => {
    node.flushed = content
  }
}

function flushAll(tree: Tree, folder: FolderNode): () => void {
  const ends = [tree.flush(folder)]
  for (const node of tree.namesIn(folder, 'most').values())
    ends.push(isFolder(node) ? flushAll(tree, node) : flush(tree, node))
  return () => {
    for (const end of ends) end()
  }
}

function endFlush({ flushes }: Model, call: SystemCall): void {
  flushes.get(call)?.()
  flushes.delete(call)
}

function placeOf({ top, tree, descriptors }: Model, arg: string | undefined, at = ''): NamePlace | undefined {
  const path = bytesOf(arg).toString()
  const [, held, below = ''] = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/.exec(path) ?? []
  if (held !== undefined) return placeBelow(tree, below, descriptors.get(Number(held))?.node)
  if (!path.startsWith('/')) return placeBelow(tree, path, descriptors.get(descriptorOf(at))?.node)
  return path.startsWith(`${top}/`) ? placeBelow(tree, relative(top, path), tree.root) : undefined
}

function placeBelow(tree: Tree, path: string, from: TreeNode | undefined): NamePlace | undefined {
  const names = path.split('/').filter(Boolean)
  const name = names.pop()
  const folder = from && tree.find(names.join('/'), 'most', from)
  return name !== undefined && isFolder(folder)
    ? { folder, name, node: tree.find(name, 'most', folder) }
    : undefined
}

function make({ tree }: Model, place: NamePlace | undefined, node: TreeNode): void {
  if (place && !place.node) tree.rename([{ ...place, node }])
}

function open(model: Model, { args: [at, path, flags = ''], result = -1, opened = '' }: SystemCall): void {
  const { top, tree, descriptors } = model
  descriptors.delete(result)
  if (opened !== top && !opened.startsWith(`${top}/`)) return
  if (flags.includes('O_CREAT'))
    make(model, placeOf(model, path, at), { content: noContent, flushed: noContent })
  const node = tree.find(relative(top, opened), 'most')
  if (!node) return
  if (!isFolder(node) && flags.includes('O_TRUNC')) node.content = noContent
  // open(2): a write then returns after its bytes are on the disk.
  const isFlushing = /\bO_D?SYNC\b/.test(flags)
  descriptors.set(result, { node, position: 0, isFlushing })
}

function fileOf(
  { descriptors }: Model,
  arg: string | undefined,
): (OpenNode & { node: FileNode }) | undefined {
  const found = descriptors.get(descriptorOf(arg))
  return found && !isFolder(found.node) ? (found as OpenNode & { node: FileNode }) : undefined
}

function write(model: Model, { name, args, result: total = 0 }: SystemCall): void {
  const file = fileOf(model, args[0])
  if (!file) return
  const isPositioned = name.startsWith('p')
  const at = isPositioned ? Number(args[3]) : file.position
  file.node.content = written(file.node.content, buffersOf(name, args), { at, total })
  if (file.isFlushing) file.node.flushed = file.node.content
  if (!isPositioned) file.position += total
}

function buffersOf(name: string, [, data = '', length]: readonly string[]) {
  if (!name.includes('writev')) return [{ known: bytesOf(data), length: Number(length) }]
  const vectors = data.matchAll(/\{iov_base=("(?:[^"\\]|\\.)*")[^"]*?, iov_len=(\d+)\}/gs)
  return Array.from(vectors, ([, known, size]) => ({ known: bytesOf(known), length: Number(size) }))
}

function copy(model: Model, { args, result: total = 0 }: SystemCall): void {
  const [from, to] = [fileOf(model, args[0]), fileOf(model, args[2])]
  if (!from || !to) return
  const start = offsetOf(args[1], from, total)
  const range = { from: start, to: start + total, at: offsetOf(args[3], to, total) }
  to.node.content = copied(to.node.content, from.node.content, range)
}

/** The offset where a copy begins: the given one, or else that of the descriptor, which moves on. */
function offsetOf(given = '', file: OpenNode, total: number): number {
  const offset = /^\[(\d+)/.exec(given)?.[1]
  if (offset !== undefined) return Number(offset)
  file.position += total
  return file.position - total
}

function resize(model: Model, { args: [descriptor, size] }: SystemCall): void {
  const file = fileOf(model, descriptor)?.node
  if (file) file.content = resized(file.content, Number(size))
}

/** The two paths of a call that renames an entry or links it. */
export function bothPlaces(
  disk: Pick<Disk, 'placeOf'>,
  { name, args }: SystemCall,
): [from: NamePlace | undefined, to: NamePlace | undefined] {
  return /at2?$/.test(name)
    ? [disk.placeOf(args[1], args[0]), disk.placeOf(args[3], args[2])]
    : [disk.placeOf(args[0]), disk.placeOf(args[1])]
}

function giveName(model: Model, call: SystemCall): void {
  const [from, to] = bothPlaces({ placeOf: (path, at) => placeOf(model, path, at) }, call)
  // rename(2) does nothing for two names of one file.
  if (!from?.node || !to || from.node === to.node) return
  const gone = call.name.startsWith('rename') ? [{ ...from, node: undefined }] : []
  model.tree.rename([{ ...to, node: from.node }, ...gone])
}

function remove(model: Model, { name, args }: SystemCall): void {
  const place = name === 'unlinkat' ? placeOf(model, args[1], args[0]) : placeOf(model, args[0])
  if (place?.node) model.tree.rename([{ ...place, node: undefined }])
}
