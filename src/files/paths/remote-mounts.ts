import { readFileSync } from 'node:fs'
import { dirname, normalize, resolve } from 'node:path'
import { Problem } from '#src/core/problem.ts'
import { textOf } from './byte-names.ts'
import { readlinkSync, statfs } from './disk.ts'
import { isWithin } from './user-path.ts'

/** File systems that another machine or another program answers for: when it is gone, who asks waits for ever. */
const farTypes =
  /^(nfs4?|cifs|smb3|smbfs|9p|afs|autofs|ceph|coda|davfs|gfs2|glusterfs|lustre|ocfs2|orangefs|virtiofs|vboxsf|fuse(blk|\..+)?)$/

// How long an answer says that the next question is answered too, and how long one waits for it: as long as a page
// may keep somebody waiting who looks at something else in the same folder.
const goodForMs = 1000
// Mounts change seldom, and to read their table takes 20 µs.
const tableForMs = 100
const patienceMs = 3000

interface Mount {
  place: string
  /** As the kernel writes them, such as `ro` and `noexec`. */
  options: readonly string[]
  /** The kind of file system, such as `ext4`. */
  type: string
  isFar: boolean
}

/** What is mounted on this machine, as the kernel told last; it tells without asking any disk. */
const table = {
  text: '',
  mounts: [] as Mount[],
  hasFar: false,
  readAt: Number.NEGATIVE_INFINITY,
  version: 0,
}

interface Probe {
  askedAt: number
  answer: Promise<boolean>
}

const probes = new Map<string, Probe>()
const answered = new Map<string, { at: number; isWell: boolean }>()

/** Where the file system begins that `real` is on, if its answers come from far; else, and not on Linux, undefined. */
export function farMountOf(real: string): string | undefined {
  if (!current().hasFar) return undefined
  const found = mountAt(real)
  return found?.isFar ? found.place : undefined
}

/** The file system that `real` is on; undefined where the system has no table of them. */
export function mountAt(real: string): Mount | undefined {
  const at = normalize(real)
  let found: Mount | undefined
  for (const mount of current().mounts) {
    // Of two on one place, the later covers the earlier.
    if (isWithin(at, mount.place) && mount.place.length >= (found?.place.length ?? 0)) found = mount
  }
  return found
}

/** Another number whenever something was mounted or unmounted. */
export function mountsVersion(): number {
  return current().version
}

/** The mount that `real` is on, and then those below `real`, on Linux. Of two on one place only the later counts. */
export function mountsOf(real: string): { place: string; options: readonly string[] }[] {
  const byPlace = new Map(current().mounts.map((mount) => [mount.place, mount]))
  const mounts = [...byPlace.values()]
  const above = mounts.filter(({ place }) => isWithin(real, place))
  const on = above.sort((a, b) => b.place.length - a.place.length).slice(0, 1)
  return [...on, ...mounts.filter(({ place }) => place !== real && isWithin(place, real))]
}

/**
 * Makes sure that the file system of `real` answers before anything is asked of it that nobody can call off. All who ask
 * at once wait for one question, so that a disk that is silent takes one thread and not all.
 *
 * @throws Problem `disk.silent` when no answer comes in time, at once when earlier ones wait still.
 */
export async function refuseSilent(real: string, path: string): Promise<void> {
  const place = farMountOf(real)
  if (place !== undefined && (await isWell(place)) === undefined) throw new Problem('disk.silent', { path })
}

/** The places below `root` where a file system is mounted that does not answer, or answers with an error. */
export async function silentWithin(root: string): Promise<string[]> {
  const { mounts, hasFar } = current()
  if (!hasFar) return []
  const places = mounts.filter(({ place, isFar }) => isFar && place !== root && isWithin(place, root))
  const heard = await Promise.all(places.map(async ({ place }) => ({ place, good: await isWell(place) })))
  return heard.filter(({ good }) => !good).map(({ place }) => place)
}

/**
 * Whether the link at `address` leads, by its words alone, to a file system far away that is silent or no part of `root`:
 * to follow it may be to wait for ever. `secret` as in a jail, silent places among them.
 */
export function leadsFar(
  address: string,
  { root, secret }: { root: string; secret: readonly string[] },
): boolean {
  if (!current().hasFar) return false
  const folder = dirname(address)
  const here = folder.startsWith('/proc/self/fd/') ? readlinkSync(folder) : folder
  const place = farMountOf(resolve(here, readlinkSync(address)))
  return place !== undefined && (secret.includes(place) || !(isWithin(place, root) || isWithin(root, place)))
}

/** Whether a file system is well; false when it answers with an error, undefined when it does not answer in time. */
async function isWell(place: string): Promise<boolean | undefined> {
  const last = answered.get(place)
  if (last && performance.now() - last.at < goodForMs) return last.isWell
  const { askedAt, answer } = probes.get(place) ?? ask(place)
  const left = patienceMs - (performance.now() - askedAt)
  if (left <= 0) return undefined
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, left, undefined)
  const heard = await Promise.race([answer, late.promise])
  clearTimeout(timer)
  return heard
}

/** statfs(2) is the one question that no memory of the kernel answers. */
function ask(place: string): Probe {
  const heard = (isWell: boolean) => {
    probes.delete(place)
    answered.set(place, { at: performance.now(), isWell })
    return isWell
  }
  const answer = statfs(place).then(
    () => heard(true),
    () => heard(false),
  )
  const probe = { askedAt: performance.now(), answer }
  probes.set(place, probe)
  return probe
}

function current(): typeof table {
  if (process.platform !== 'linux' || performance.now() - table.readAt < tableForMs) return table
  table.readAt = performance.now()
  const text = textOf(readFileSync('/proc/self/mountinfo'))
  if (text === table.text) return table
  table.text = text
  table.version++
  table.mounts = text.split('\n').filter(Boolean).map(mountOf)
  table.hasFar = table.mounts.some(({ isFar }) => isFar)
  return table
}

/** One line of proc_pid_mountinfo(5): the place is the fifth word, the type the first after a lone dash. */
function mountOf(line: string): Mount {
  const words = line.split(' ')
  const place = (words[4] ?? '').replace(/\\(\d{3})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 8)),
  )
  const options = (words[5] ?? '').split(',')
  const type = words[words.indexOf('-') + 1] ?? ''
  return { place, type, options, isFar: farTypes.test(type) }
}
