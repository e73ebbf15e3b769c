import { readSync, writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/** What lies on such a disk: texts and folders. */
export interface FuseTree {
  [name: string]: string | FuseTree
}

/** How a disk finds the entry that a name opens. */
export const spellers = {
  /** Joins Unicode forms and heeds case, as APFS and ZFS may be set to. */
  forms: (name: string, typed: string) => name.normalize('NFD') === typed.normalize('NFD'),
  /** As Windows does: no case, no dots or spaces at the end, and short names. */
  windows: (name: string, typed: string) => {
    const plain = upper(typed.replace(/[. ]+$/, ''))
    return plain === upper(name) || plain === shortOf(name)
  },
  /** Joins what nobody expects: besides case, a zero with an `o`. */
  strange: (name: string, typed: string) =>
    name.toUpperCase().replaceAll('0', 'O') === typed.toUpperCase().replaceAll('0', 'O'),
}
export type Speller = keyof typeof spellers

/** Letter by letter, so that `ß` stays what it is. */
const upper = (name: string) =>
  [...name].map((letter) => (letter.toUpperCase().length > 1 ? letter : letter.toUpperCase())).join('')

function shortOf(name: string): string {
  const [stem = '', extension = ''] = name.toUpperCase().split('.')
  return `${stem.replaceAll(' ', '').slice(0, 6)}~1${extension && `.${extension.slice(0, 3)}`}`
}

interface Node {
  id: number
  text?: Buffer
  entries: [name: string, node: Node][]
}

const nodes: Node[] = []

function plant(thing: string | FuseTree): Node {
  const node: Node = { id: nodes.length + 1, entries: [] }
  nodes.push(node)
  if (typeof thing === 'string') node.text = Buffer.from(thing)
  else node.entries = Object.entries(thing).map(([name, child]) => [name, plant(child)])
  return node
}

// Numbers of fuse(4), and of errno.
const ops = {
  lookup: 1,
  forget: 2,
  getattr: 3,
  open: 14,
  read: 15,
  statfs: 17,
  release: 18,
  init: 26,
  opendir: 27,
  readdir: 28,
  releasedir: 29,
  batchForget: 42,
}
const ENOENT = 2
const ENOSYS = 38
const forSeconds = 3600n

function attributes({ id, text }: Node): Buffer {
  const bytes = Buffer.alloc(88)
  bytes.writeBigUInt64LE(BigInt(id), 0)
  bytes.writeBigUInt64LE(BigInt(text?.length ?? 0), 8)
  bytes.writeUInt32LE(text ? 0o100444 : 0o40555, 60)
  bytes.writeUInt32LE(1, 64)
  return bytes
}

function entry(node: Node): Buffer {
  const head = Buffer.alloc(40)
  head.writeBigUInt64LE(BigInt(node.id), 0)
  for (const at of [16, 24]) head.writeBigUInt64LE(forSeconds, at)
  return Buffer.concat([head, attributes(node)])
}

function attributesOut(node: Node): Buffer {
  const head = Buffer.alloc(16)
  head.writeBigUInt64LE(forSeconds, 0)
  return Buffer.concat([head, attributes(node)])
}

function greeting(): Buffer {
  const bytes = Buffer.alloc(64)
  for (const [at, number] of [7, 31, 65536].entries()) bytes.writeUInt32LE(number, at * 4)
  bytes.writeUInt32LE(65536, 20)
  bytes.writeUInt32LE(1, 24)
  return bytes
}

function directory({ entries }: Node, from: number): Buffer {
  const pieces = entries.slice(from).map(([name, node], at) => {
    const bytes = Buffer.from(name)
    const piece = Buffer.alloc((24 + bytes.length + 7) & ~7)
    piece.writeBigUInt64LE(BigInt(node.id), 0)
    piece.writeBigUInt64LE(BigInt(from + at + 1), 8)
    piece.writeUInt32LE(bytes.length, 16)
    piece.writeUInt32LE(node.text ? 8 : 4, 20)
    bytes.copy(piece, 24)
    return piece
  })
  return Buffer.concat(pieces)
}

/** What is answered to a request about a node: bytes, or an errno. */
const answers: Record<number, (node: Node, body: Buffer, speller: Speller) => Buffer | number> = {
  [ops.lookup]: ({ entries }, body, speller) => {
    const typed = body.toString('utf8', 0, body.indexOf(0))
    const found = entries.find(([name]) => spellers[speller](name, typed))
    return found ? entry(found[1]) : ENOENT
  },
  [ops.getattr]: attributesOut,
  [ops.open]: () => Buffer.alloc(16),
  [ops.opendir]: () => Buffer.alloc(16),
  [ops.read]: ({ text }, body) => (text ?? Buffer.alloc(0)).subarray(offsetIn(body), offsetIn(body) + 65536),
  [ops.readdir]: (node, body) => directory(node, offsetIn(body)),
  [ops.release]: () => Buffer.alloc(0),
  [ops.releasedir]: () => Buffer.alloc(0),
  [ops.statfs]: () => Buffer.alloc(80),
}

const offsetIn = (body: Buffer) => Number(body.readBigUInt64LE(8))

/** Undefined: nothing at all is answered. */
function answer(opcode: number, node: Node | undefined, body: Buffer, speller: Speller) {
  if (opcode === ops.init) return greeting()
  if (opcode === ops.forget || opcode === ops.batchForget) return undefined
  return node ? (answers[opcode]?.(node, body, speller) ?? ENOSYS) : ENOENT
}

function serve(device: number, speller: Speller): void {
  const request = Buffer.alloc(1024 * 1024)
  for (;;) {
    const length = readSync(device, request)
    const opcode = request.readUInt32LE(4)
    const node = nodes[Number(request.readBigUInt64LE(16)) - 1]
    const reply = answer(opcode, node, request.subarray(40, length), speller)
    if (reply === undefined) continue
    const body = typeof reply === 'number' ? Buffer.alloc(0) : reply
    const head = Buffer.alloc(16)
    head.writeUInt32LE(16 + body.length, 0)
    head.writeInt32LE(typeof reply === 'number' ? -reply : 0, 4)
    request.copy(head, 8, 8, 16)
    writeSync(device, Buffer.concat([head, body]))
  }
}

const given = workerData as { device: number; tree: FuseTree; speller: Speller } | null
if (given) {
  plant(given.tree)
  try {
    serve(given.device, given.speller)
  } catch {
    // It was unmounted.
  }
}
