import { readFileSync } from 'node:fs'
import { dirname, normalize, resolve } from 'node:path'
import { Problem } from '#src/core/problem.ts'
import { decodeName } from './byte-names.ts'
import { readlinkSync, statfs } from './disk.ts'
import { isWithin } from './user-path.ts'

/** File systems that another machine or program serves. When it is gone, system calls on them block forever. */
const remoteTypes =
  /^(nfs4?|cifs|smb3|smbfs|9p|afs|autofs|ceph|coda|davfs|gfs2|glusterfs|lustre|ocfs2|orangefs|virtiofs|vboxsf|fuse(blk|\..+)?)$/

// A result is valid for `validForMs`. A request waits `timeoutMs` at most: a page may wait that long for another
// entry of the same folder.
const validForMs = 1000
// Mounts change rarely, and reading their table takes 20 µs.
const tableForMs = 100
const timeoutMs = 3000

interface Mount {
  place: string
  /** The mount options as the kernel writes them, such as `ro` and `noexec`. */
  options: readonly string[]
  /** The kind of file system, such as `ext4`. */
  type: string
  /** As in the `dev` of `Stats`. */
  device: number
  isRemote: boolean
}

/** The mounts of this machine, as last read from the kernel. Reading them accesses no disk. */
const table = {
  text: '',
  mounts: [] as Mount[],
  remote: [] as Mount[],
  readAt: Number.NEGATIVE_INFINITY,
  version: 0,
}

interface Probe {
  askedAt: number
  answer: Promise<boolean>
}

const probes = new Map<string, Probe>()
const answered = new Map<string, { at: number; isWorking: boolean }>()

/** Whether this machine has remote file systems, or may have them because its system has no table of mounts. */
export function hasRemoteMounts(): boolean {
  return process.platform !== 'linux' || current().remote.length > 0
}

/** Whether the device `dev` of an open entry is a local disk. False on systems without a table of mounts. */
export function isLocalDevice(dev: number): boolean {
  return process.platform === 'linux' && !current().remote.some(({ device }) => device === dev)
}

/** Whether `real` is on a local disk. False on systems without a table of mounts. */
export function isLocal(real: string): boolean {
  return process.platform === 'linux' && remoteMountOf(real) === undefined
}

/** The mount point of `real` if its file system is remote. Otherwise, and on other systems than Linux, undefined. */
export function remoteMountOf(real: string): string | undefined {
  const { remote } = current()
  // Listings call this for each entry, and most machines have no remote mount.
  if (remote.length === 0) return undefined
  // Machines with containers have hundreds of mounts, but few of them are remote.
  const at = normalize(real)
  if (!remote.some(({ place }) => isWithin(at, place))) return undefined
  const found = mountAt(at)
  return found?.isRemote ? found.place : undefined
}

/** The mount that `real` is on; undefined where the system has no table of mounts. */
export function mountAt(real: string): Mount | undefined {
  const at = normalize(real)
  let found: Mount | undefined
  for (const mount of current().mounts) {
    // Of two mounts at one place, the later covers the earlier.
    if (isWithin(at, mount.place) && mount.place.length >= (found?.place.length ?? 0)) found = mount
  }
  return found
}

/** Makes the next call read the table of mounts from the kernel, so that a disk mounted just now is not missed. */
export function refreshMounts(): void {
  table.readAt = Number.NEGATIVE_INFINITY
}

/** A number that changes whenever something is mounted or unmounted. */
export function mountsVersion(): number {
  return current().version
}

/** The mount that `real` is on, then those below `real`. Linux only. Of two at one place only the later is included. */
export function mountsOf(real: string): { place: string; options: readonly string[] }[] {
  const byPlace = new Map(current().mounts.map((mount) => [mount.place, mount]))
  const mounts = [...byPlace.values()]
  const above = mounts.filter(({ place }) => isWithin(real, place))
  const on = above.sort((a, b) => b.place.length - a.place.length).slice(0, 1)
  return [...on, ...mounts.filter(({ place }) => place !== real && isWithin(place, real))]
}

/**
 * Checks that the file system of `real` responds before a system call on it, because such a call cannot be cancelled.
 * All concurrent requests wait for one check, so that a silent disk blocks one thread and not all.
 *
 * @throws Problem `disk.silent` when no response arrives in time; at once when an earlier check has waited that long.
 */
export async function rejectUnresponsive(real: string, path: string): Promise<void> {
  const place = remoteMountOf(real)
  if (place !== undefined && (await isWorking(place)) === undefined)
    throw new Problem('disk.silent', { path })
}

/** The mount points below `root` whose file system does not respond or returns an error. */
export async function unresponsiveWithin(root: string): Promise<string[]> {
  const places = current().remote.filter(({ place }) => place !== root && isWithin(place, root))
  const results = await Promise.all(
    places.map(async ({ place }) => ({ place, isGood: await isWorking(place) })),
  )
  return results.filter(({ isGood }) => !isGood).map(({ place }) => place)
}

/**
 * Whether the target of the symbolic link at `address`, read as text, is on a remote file system that is silent or
 * not part of `root`. Following such a link may block forever. `secret` as in a jail, silent mount points included.
 */
export function leadsToRemoteMount(
  address: string,
  { root, secret }: { root: string; secret: readonly string[] },
): boolean {
  if (current().remote.length === 0) return false
  const folder = dirname(address)
  const here = folder.startsWith('/proc/self/fd/') ? readlinkSync(folder) : folder
  const place = remoteMountOf(resolve(here, readlinkSync(address)))
  return place !== undefined && (secret.includes(place) || !(isWithin(place, root) || isWithin(root, place)))
}

/** Whether a file system works: false when it returns an error, undefined when it does not respond in time. */
async function isWorking(place: string): Promise<boolean | undefined> {
  const last = answered.get(place)
  if (last && performance.now() - last.at < validForMs) return last.isWorking
  const { askedAt, answer } = probes.get(place) ?? startProbe(place)
  const left = timeoutMs - (performance.now() - askedAt)
  if (left <= 0) return undefined
  const timeout = Promise.withResolvers<undefined>()
  const timer = setTimeout(timeout.resolve, left, undefined)
  const result = await Promise.race([answer, timeout.promise])
  clearTimeout(timer)
  return result
}

/** Calls statfs(2), the only call that the kernel never answers from a cache. */
function startProbe(place: string): Probe {
  const settle = (isWorking: boolean) => {
    probes.delete(place)
    answered.set(place, { at: performance.now(), isWorking })
    return isWorking
  }
  const answer = statfs(place).then(
    () => settle(true),
    () => settle(false),
  )
  const probe = { askedAt: performance.now(), answer }
  probes.set(place, probe)
  return probe
}

function current(): typeof table {
  if (process.platform !== 'linux' || performance.now() - table.readAt < tableForMs) return table
  table.readAt = performance.now()
  const text = decodeName(readFileSync('/proc/self/mountinfo'))
  if (text === table.text) return table
  table.text = text
  table.version++
  table.mounts = text.split('\n').filter(Boolean).map(mountOf)
  table.remote = table.mounts.filter(({ isRemote }) => isRemote)
  return table
}

/**
 * Parses one line of proc_pid_mountinfo(5): the device is the third word, the mount point the fifth, the type the first
 * after a lone dash.
 */
function mountOf(line: string): Mount {
  const words = line.split(' ')
  const place = (words[4] ?? '').replace(/\\(\d{3})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 8)),
  )
  const options = (words[5] ?? '').split(',')
  const type = words[words.indexOf('-') + 1] ?? ''
  return { place, type, device: deviceOf(words[2] ?? ''), options, isRemote: remoteTypes.test(type) }
}

/** The number of the device `major:minor`, see makedev(3). The kernel uses 12 and 20 bits. */
function deviceOf(device: string): number {
  const [major = 0, minor = 0] = device.split(':').map(Number)
  return (minor >> 8) * 2 ** 20 + major * 2 ** 8 + (minor & 0xff)
}
