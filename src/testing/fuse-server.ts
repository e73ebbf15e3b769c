import { readSync, writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/** The content of such a disk: texts and folders. */
export interface FuseTree {
  [name: string]: string | FuseTree
}

/** How a disk finds the entry for a typed name. */
export const spellers = {
  /** Treats Unicode normal forms as equal and distinguishes case, as APFS and ZFS can be configured. */
  forms: (name: string, typed: string) => name.normalize('NFD') === typed.normalize('NFD'),
  /** As Windows does: ignores case and trailing dots and spaces, and has short names. */
  windows: (name: string, typed: string) => {
    const plain = upper(typed.replace(/[. ]+$/, ''))
    return plain === upper(name) || plain === shortOf(name)
  },
  /** Treats unexpected characters as equal: besides case, a zero and an `o`. */
  strange: (name: string, typed: string) =>
    name.toUpperCase().replaceAll('0', 'O') === typed.toUpperCase().replaceAll('0', 'O'),
}
export type Speller = keyof typeof spellers

/** Converts letter by letter, so that `ß` stays unchanged. */
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

function addNode(content: string | FuseTree): Node {
  const node: Node = { id: nodes.length + 1, entries: [] }
  nodes.push(node)
  if (typeof content === 'string') node.text = Buffer.from(content)
  else node.entries = Object.entries(content).map(([name, child]) => [name, addNode(child)])
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
const cacheSeconds = 3600n

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
  for (const at of [16, 24]) head.writeBigUInt64LE(cacheSeconds, at)
  return Buffer.concat([head, attributes(node)])
}

function attributesOut(node: Node): Buffer {
  const head = Buffer.alloc(16)
  head.writeBigUInt64LE(cacheSeconds, 0)
  return Buffer.concat([head, attributes(node)])
}

function initOut(): Buffer {
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

/** The response to a request about a node: bytes, or an errno. */
const responses: Record<number, (node: Node, body: Buffer, speller: Speller) => Buffer | number> = {
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

/** Returns undefined if the request gets no response. */
function response(opcode: number, node: Node | undefined, body: Buffer, speller: Speller) {
  if (opcode === ops.init) return initOut()
  if (opcode === ops.forget || opcode === ops.batchForget) return undefined
  return node ? (responses[opcode]?.(node, body, speller) ?? ENOSYS) : ENOENT
}

function serve(device: number, speller: Speller): void {
  const request = Buffer.alloc(1024 * 1024)
  for (;;) {
    const length = readSync(device, request)
    const opcode = request.readUInt32LE(4)
    const node = nodes[Number(request.readBigUInt64LE(16)) - 1]
    const reply = response(opcode, node, request.subarray(40, length), speller)
    if (reply === undefined) continue
    const body = typeof reply === 'number' ? Buffer.alloc(0) : reply
    const head = Buffer.alloc(16)
    head.writeUInt32LE(16 + body.length, 0)
    head.writeInt32LE(typeof reply === 'number' ? -reply : 0, 4)
    request.copy(head, 8, 8, 16)
    writeSync(device, Buffer.concat([head, body]))
  }
}

const options = workerData as { device: number; tree: FuseTree; speller: Speller } | null
if (options) {
  addNode(options.tree)
  try {
    serve(options.device, options.speller)
  } catch {
    // The disk was unmounted.
  }
}
