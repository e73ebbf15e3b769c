import { constants, type Stats } from 'node:fs'
import { encodePath } from '#src/files/paths/user-path.ts'

const { S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFSOCK } = constants

const goKinds = new Map([
  [S_IFDIR, 0x80000000],
  [S_IFLNK, 0x08000000],
  [S_IFIFO, 0x02000000],
  [S_IFSOCK, 0x01000000],
  [S_IFCHR, 0x04200000],
  [S_IFBLK, 0x04000000],
])

/** The kind in a mode as stat(2) has it: one of the `S_IF…` of `node:fs`. */
export function kindOf(mode: number): number {
  return mode & S_IFMT
}

/** Go's file mode as the wire has it: low permission bits plus a bit for the kind (contract/compatibility.md#conventions). */
export function goMode({ mode }: Pick<Stats, 'mode'>): number {
  return (mode & 0o777) + (goKinds.get(kindOf(mode)) ?? 0)
}

/** The last dot of a name and what follows; `.hidden` is all extension, as clients know it (contract/compatibility.md#listings-and-files). */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot)
}

/** Address of the page that shows a resource: `page` and the encoded path; folders end with a slash. */
export function pageUrl(path: string, isDir: boolean, page = '/files'): string {
  const encoded = encodePath(path)
  return `${page}${isDir && !encoded.endsWith('/') ? `${encoded}/` : encoded}`
}

/**
 * A strong validator for one state of one file (RFC 9110 §8.8.3). Every write of Coffer makes a new inode, so two writes
 * in one tick of the disk's clock still differ.
 */
export function etagOf(stats: Stats): string {
  const parts = [Math.round(stats.mtimeMs * 1000), stats.size, stats.ino]
  return `"${parts.map((part) => part.toString(16)).join('-')}"`
}

// What RFC 3339 can say. Disks can hold times far outside, which no calendar of ours can.
const firstMs = Date.parse('0000-01-01T00:00:00.000Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

const dayMs = 24 * 60 * 60 * 1000
let lastDay = { day: Number.NaN, text: '' }

/** When a file was last changed, in RFC 3339; the nearest time that can be said for one that cannot. */
export function modifiedOf({ mtimeMs }: Pick<Stats, 'mtimeMs'>): string {
  const ms = Math.trunc(Math.min(Math.max(mtimeMs || 0, firstMs), lastMs))
  const day = Math.floor(ms / dayMs)
  // Most files of a folder were changed on the same few days, and the calendar is what costs.
  if (lastDay.day !== day) lastDay = { day, text: new Date(day * dayMs).toISOString().slice(0, 11) }
  const rest = ms - day * dayMs
  const [hours, minutes] = [Math.trunc(rest / 3_600_000), Math.trunc(rest / 60_000) % 60]
  const [seconds, fraction] = [Math.trunc(rest / 1000) % 60, rest % 1000]
  return `${lastDay.text}${digits(hours, 2)}:${digits(minutes, 2)}:${digits(seconds, 2)}.${digits(fraction, 3)}Z`
}

function digits(number: number, least: number): string {
  return String(number).padStart(least, '0')
}
