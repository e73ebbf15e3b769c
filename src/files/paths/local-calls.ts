import { closeSync, constants, fstatSync, fsync, type Stats } from 'node:fs'
import { promisify } from 'node:util'
import { createRunAgain } from '#src/core/concurrency/keyed-lock.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import { errnoOf, ignoreMissing } from '#src/core/problem.ts'
import { lstat, lstatSync, open, openSync, readlink, readlinkSync } from './disk.ts'
import { hasRemoteMounts, isLocal, isLocalDevice } from './remote-mounts.ts'
import type { OpenPath } from './scope.ts'

// Calls about entries that were used just now. On a local disk the kernel answers them from memory: sending them to the
// thread pool would cost ten times what they take. On a remote file system they may block, so they use the thread pool.

const flushDescriptor = promisify(fsync)
const flushes = createRunAgain<void>()

/** An open file, such as a `FileHandle`. */
export interface OpenedFile {
  readonly fd: number
  /** Undefined: not known. */
  readonly isOnLocalDisk?: boolean
  stat(): Promise<Stats>
}

/** Device and inode of an entry, `dev:ino`: the same as long as it is the same entry. */
export type EntryIdentity = string

/** The device and inode of an entry. */
export function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): EntryIdentity {
  return `${dev}:${ino}`
}

const identities = new WeakMap<OpenedFile, Pick<Stats, 'dev' | 'ino'>>()

/** Returns the stats of an open file. */
export async function statOpen(file: OpenedFile): Promise<Stats> {
  const stats = (file.isOnLocalDisk ?? !hasRemoteMounts()) ? fstatSync(file.fd) : await file.stat()
  const { dev, ino } = stats
  identities.set(file, { dev, ino })
  return stats
}

/** Returns the device and the inode of an open file. They never change, so the system is asked only once. */
export async function identifyOpen(file: OpenedFile): Promise<Pick<Stats, 'dev' | 'ino'>> {
  return identities.get(file) ?? statOpen(file)
}

/**
 * Returns the stats of an entry whose name was looked up or created just now, symbolic links not followed. Undefined when
 * there is none.
 *
 * @param folder the open folder that contains it
 */
export async function lstatKnown(
  folder: Pick<OpenPath, 'real'>,
  address: string,
): Promise<Stats | undefined> {
  return isLocal(folder.real) ? lstatSync(address, quietly) : lstat(address).catch(ignoreMissing)
}

const quietly = { throwIfNoEntry: false } as const

/** Whether `address`, which was looked up just now, is a symbolic link. `real` is its real path. */
export async function isKnownLink(address: string, real: string): Promise<boolean> {
  try {
    await (isLocal(real) ? readlinkSync(address) : readlink(address))
    return true
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

/**
 * Flushes an open folder to the disk, so that names that were created or removed in it before survive a power cut. Calls
 * during a flush of the same folder share the next one.
 */
export async function flushOpenFolder({ address, real, stats }: OpenPath): Promise<void> {
  await flushes(identityOf(stats), async () => {
    if (!isLocal(real)) return flushFolder(() => open(address, constants.O_RDONLY))
    const fd = openSync(address, constants.O_RDONLY)
    try {
      await flushDescriptor(fd)
    } finally {
      closeSync(fd)
    }
  })
}

// The kernel keeps the names and the bytes of files that were read just now in memory. A call for them takes 2 µs; the
// thread pool takes 30 µs more. The same is true of names in a folder that is being written. A call for other files may
// wait for the disk, so it always uses the thread pool.

/** Files up to this size are read with one call, in bytes. */
export const smallFileBytes = 64 * 1024

// The kernel drops what was used longest ago. What was used within this time is dropped only without free memory.
const warmMs = 10_000
const maxFiles = 4096
const maxBytes = 64 * 1024 * 1024
// A call that takes longer has waited for the disk, or the machine is busy. Then all calls use the thread pool a while.
const slowMs = 10
const pauseMs = 1000

interface WarmFile {
  readonly state: string
  readonly bytes: number
  at: number
}

const files = new Map<string, WarmFile>()
/** Folders in which a file was created just now. */
const written = createRecent()
let bytes = 0
let pausedUntil = 0

/** Notes that a file was opened by its real path and read completely. Larger files are not noted. */
export function noteRead(real: string, stats: Stats): void {
  if (stats.size > smallFileBytes) return
  const at = performance.now()
  const known = files.get(real)
  const state = stateOf(stats)
  if (known?.state === state) {
    known.at = at
    return
  }
  forget(real)
  files.set(real, { state, bytes: stats.size, at })
  bytes += stats.size
  for (const oldest of files.keys()) {
    if (files.size <= maxFiles && bytes <= maxBytes) return
    forget(oldest)
  }
}

/** Notes that a file was created in the folder with this real path. */
export function noteWritten(real: string): void {
  written.note(real)
}

/**
 * Whether a file was created in this open folder so recently that creating a file and renaming it do not wait for the disk.
 * Each of them takes 10 µs. On a slow disk they may wait for its journal; then `callNow` pauses them.
 */
export function isOpenAndBeingWritten({ real, stats }: { real: string; stats: Stats }): boolean {
  return written.has(real) && isLocalDevice(stats.dev)
}

/** Whether exactly this state of the file was read so recently that reading it does not wait for the disk. */
export function isWarm(real: string, stats: Stats): boolean {
  return find(real)?.state === stateOf(stats)
}

/**
 * Makes a synchronous call for a warm file. If it was slow, the next calls use the thread pool, so that a disk that has
 * become slow stops this thread once and not with each request.
 */
export function callNow<T>(call: () => T): T {
  const begin = performance.now()
  try {
    return call()
  } finally {
    const end = performance.now()
    if (end - begin > slowMs) pausedUntil = end + pauseMs
  }
}

/** Whether the last calls were quick enough for another one. */
export function mayCallNow(): boolean {
  return performance.now() >= pausedUntil
}

/** The real paths of folders for which something was noted within `warmMs`. */
function createRecent() {
  const times = new Map<string, number>()
  return {
    note(real: string): void {
      times.delete(real)
      times.set(real, performance.now())
      if (times.size <= maxFiles) return
      for (const oldest of times.keys()) return void times.delete(oldest)
    },
    has(real: string): boolean {
      const at = times.get(real)
      const now = performance.now()
      return at !== undefined && now - at <= warmMs && now >= pausedUntil
    },
  }
}

function find(real: string): WarmFile | undefined {
  const file = files.get(real)
  if (!file) return undefined
  const now = performance.now()
  if (now < pausedUntil) return undefined
  if (now - file.at <= warmMs) return file
  forget(real)
  return undefined
}

function forget(real: string): void {
  bytes -= files.get(real)?.bytes ?? 0
  files.delete(real)
}

/** It changes whenever the content changes. */
function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
}
