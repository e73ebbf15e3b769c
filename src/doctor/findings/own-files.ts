import { constants, type Stats } from 'node:fs'
import { access, lstat, mkdir, open, rm, statfs, unlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { errnoOf, ignoreMissing } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { privateNames } from '#src/files/paths/read-folder.ts'

// The calls of the checks on Coffer's own files. They never follow a symbolic link, so that no fix can reach another
// file.

/** A file of Coffer itself. Undefined: it does not exist. @throws system errors */
export function statOwn(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) =>
    errnoOf(error) === 'ENOTDIR' ? undefined : ignoreMissing(error),
  )
}

/** Whether this process may do something with a file: the error of the system, undefined if it may. */
export async function accessFault(path: string, mode: 'read' | 'write' | 'all'): Promise<string | undefined> {
  const { R_OK, W_OK, X_OK } = constants
  const bits = { read: R_OK, write: W_OK, all: R_OK | W_OK | X_OK }[mode]
  return access(path, bits).then(
    () => undefined,
    (error: unknown) => errnoOf(error) ?? 'unknown',
  )
}

/** The names in a folder of Coffer. Empty if it does not exist. @throws system errors */
export async function ownNames(folder: string): Promise<string[]> {
  return (await privateNames(folder).catch(ignoreMissing)) ?? []
}

/** The size of the file system of a path. @throws system errors */
export const diskOf = (path: string) => statfs(path)

/**
 * Removes bits of the mode of a file or folder that belongs to this user.
 *
 * @throws system errors, and when the file is no longer the one that was checked.
 */
export async function removeModeBits(path: string, bits: number, checked: Stats): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  await using handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stats = await handle.stat()
  if (stats.ino !== checked.ino || stats.dev !== checked.dev)
    throw new Error(`${basename(path)} was replaced meanwhile`)
  await handle.chmod(stats.mode & 0o7777 & ~bits)
}

/** Removes a file or a dead socket of Coffer. @throws system errors */
export const removeOwn = (path: string) => unlink(path)

/** Creates a folder and its missing parents, for this user only. @throws system errors */
export async function createOwnFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
}

// No file of a user has such a name, because a probe that a killed process left behind is removed.
const probeName = /^\.coffer-doctor-[\w-]{8}\.probe$/
const probeText = 'probe'

/** Creates a file in a folder of Coffer and removes it again. Returns its modification time. @throws system errors */
export async function writeProbe(folder: string): Promise<number> {
  const file = join(folder, `.coffer-doctor-${randomId(6)}.probe`)
  try {
    await writeFile(file, probeText, { flag: 'wx', mode: 0o600 })
    return (await lstat(file)).mtimeMs
  } finally {
    await rm(file, { force: true }).catch(() => {}) // the first error is the one to report
  }
}

/**
 * Whether a file is one that `writeProbe` of this user has created: its name, its owner and its content say so. Never
 * follows a symbolic link.
 *
 * @throws system errors
 */
export async function isProbe(path: string): Promise<boolean> {
  if (!probeName.test(basename(path))) return false
  const isOurs = (stats: Stats | undefined) =>
    stats?.isFile() === true &&
    stats.size <= probeText.length &&
    stats.uid === (process.geteuid?.() ?? stats.uid)
  if (!isOurs(await statOwn(path))) return false
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  await using handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  return isOurs(await handle.stat()) && ['', probeText].includes(await handle.readFile('utf8'))
}

/** The last `most` bytes of a file, as text without a partial first line. @throws system errors */
export async function readTail(file: string, most: number): Promise<string> {
  await using handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stats = await handle.stat()
  if (!stats.isFile()) return ''
  const start = Math.max(0, stats.size - most)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(most, stats.size)), {
    position: start,
  })
  const text = buffer.subarray(0, bytesRead).toString()
  return start === 0 ? text : text.slice(text.indexOf('\n') + 1)
}

// Between its creation and the first connection, a live socket refuses connections.
const youngMs = 60_000

/**
 * The sockets in the folder beside the state file that belonged to killed processes: those of the lock, and of the
 * commands.
 */
export async function deadSockets(folder: string): Promise<string[]> {
  const names = (await ownNames(folder)).filter((name) => /^(lock|new)-|^control$/.test(name))
  if (names.length === 0) return []
  await using handle = await open(folder, constants.O_RDONLY)
  const dead: string[] = []
  for (const name of names) {
    const stats = await statOwn(join(folder, name))
    if (!stats?.isSocket() || Date.now() - stats.mtimeMs < youngMs) continue
    // The name of a socket can have only about a hundred bytes. Through the descriptor, it is always short.
    const at = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/${name}` : join(folder, name)
    if (!(await isListening(at))) dead.push(name)
  }
  return dead
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const peer = connect(path, () => {
      peer.destroy()
      resolve(true)
    })
    peer.setTimeout(2000, () => {
      peer.destroy()
      resolve(true) // a busy process
    })
    peer.on('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(errnoOf(error) ?? '')))
  })
}
