import { spawn, spawnSync } from 'node:child_process'
import { closeSync, readSync, writeSync } from 'node:fs'
import type { Test } from 'tap'
import { mountFuse } from './fuse-mount.ts'
import { killAfter } from './kill-after.ts'
import { systemTool } from './system-tool.ts'

/**
 * Mounts a disk at `folder` that fails with a chosen error: every call on an entry of the folder `/<number>` fails
 * with that errno. The entries are a file `file`, which cannot be opened, a file `opened`, which can be opened but
 * not read, a file `unclosed`, which can be read but not closed, and a folder `sub`. Other names do not exist. Returns undefined if the system does not allow it: it needs
 * Linux, FUSE and superuser rights.
 */
export function mountFailing(t: Test, folder: string): true | undefined {
  const device = mountFuse(folder, 'failing')
  if (device === undefined) return undefined
  // Runs in a separate process, because it must respond while this process waits in a system call.
  const server = spawn(process.execPath, [import.meta.filename], {
    stdio: ['ignore', 'ignore', 'inherit', device],
    env: {},
  })
  t.teardown(() => spawnSync(systemTool('umount'), ['--lazy', folder]))
  killAfter(t, server)
  closeSync(device)
  return true
}

// <linux/fuse.h>: the requests that are handled.
const LOOKUP = 1
const FORGET = 2
const GETATTR = 3
const OPEN = 14
const READ = 15
const STATFS = 17
const RELEASE = 18
const FLUSH = 25
const INIT = 26
const INTERRUPT = 36
const BATCH_FORGET = 42
const STATX = 52

const ENOSYS = 38

const ENOENT = 2
const rootNode = 1
// The number of a node encodes its kind and its error: kind * kinds + errno.
const kinds = 1000
const kindOf = { top: 1, file: 2, opened: 3, sub: 4, unclosed: 5 } as const
// Larger than what an archive reads at once.
const readableBytes = 200_000

/** Responds to the kernel until the disk is unmounted. */
function serve(): void {
  const buffer = Buffer.alloc(256 * 1024)
  for (;;) {
    const length = readSync(3, buffer)
    const response = responseTo(buffer.subarray(0, length))
    if (!response) continue
    const header = Buffer.alloc(16)
    const { errno = 0, body = Buffer.alloc(0) } = response
    header.writeUInt32LE(16 + body.length, 0)
    header.writeInt32LE(-errno, 4)
    buffer.copy(header, 8, 8, 16) // the id of the request
    writeSync(3, Buffer.concat([header, body]))
  }
}

function responseTo(request: Buffer): { errno?: number; body?: Buffer } | undefined {
  const opcode = request.readUInt32LE(4)
  const node = Number(request.readBigUInt64LE(16))
  if ([FORGET, BATCH_FORGET, INTERRUPT].includes(opcode)) return undefined
  if (opcode === INIT) return { body: initOut() }
  if (opcode === STATX) return { errno: ENOSYS }
  if (opcode === STATFS) return { body: Buffer.alloc(80) }
  if (opcode === GETATTR) return { body: Buffer.concat([Buffer.alloc(16), attributes(node)]) }
  if (opcode === LOOKUP) return lookUp(node, request.subarray(40, request.indexOf(0, 40)).toString())
  return callOn(node, opcode, request) ?? { errno: node === rootNode ? ENOENT : node % kinds }
}

/** Responds to the calls that succeed on an entry. */
function callOn(node: number, opcode: number, request: Buffer): { body?: Buffer } | undefined {
  const kind = Math.floor(node / kinds)
  if (kind !== kindOf.opened && kind !== kindOf.unclosed) return undefined
  if (opcode === OPEN) return { body: Buffer.alloc(16) }
  if (opcode === RELEASE) return {}
  // The error of FLUSH is that of close(2).
  if (kind === kindOf.opened) return opcode === FLUSH ? {} : undefined
  return opcode === READ ? { body: zeros(request) } : undefined
}

/** The bytes that a read asks for. */
function zeros(request: Buffer): Buffer {
  const offset = Number(request.readBigUInt64LE(48))
  return Buffer.alloc(Math.max(0, Math.min(request.readUInt32LE(56), readableBytes - offset)))
}

function lookUp(folder: number, name: string): { errno?: number; body?: Buffer } {
  const isErrno = folder === rootNode && /^\d{1,3}$/.test(name)
  const kind = isErrno ? kindOf.top : name in kindOf ? kindOf[name as keyof typeof kindOf] : undefined
  if (!kind || (folder === rootNode && !isErrno) || name === 'top') return { errno: ENOENT }
  const node = kind * kinds + (isErrno ? Number(name) : folder % kinds)
  const entry = Buffer.alloc(40) // no cache time: the kernel requests each entry again
  entry.writeBigUInt64LE(BigInt(node), 0)
  return { body: Buffer.concat([entry, attributes(node)]) }
}

function attributes(node: number): Buffer {
  const kind = Math.floor(node / kinds)
  const isFile = ([kindOf.file, kindOf.opened, kindOf.unclosed] as number[]).includes(kind)
  const bytesInside = kind === kindOf.unclosed ? readableBytes : 100
  const bytes = Buffer.alloc(88)
  bytes.writeBigUInt64LE(BigInt(node), 0)
  bytes.writeBigUInt64LE(BigInt(isFile ? bytesInside : 0), 8)
  bytes.writeUInt32LE(isFile ? 0o100644 : 0o40755, 60)
  bytes.writeUInt32LE(isFile ? 1 : 2, 64)
  return bytes
}

function initOut(): Buffer {
  const bytes = Buffer.alloc(64)
  bytes.writeUInt32LE(7, 0)
  bytes.writeUInt32LE(31, 4)
  bytes.writeUInt32LE(64 * 1024, 20) // the largest write
  return bytes
}

if (import.meta.main) serve()
