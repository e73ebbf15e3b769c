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

/** The kind bits of a mode of stat(2): one of the `S_IF…` constants of `node:fs`. */
export function kindOf(mode: number): number {
  return mode & S_IFMT
}

/** Go's file mode as in the API: permission bits plus a bit for the kind (contract/compatibility.md#conventions). */
export function goMode({ mode }: Pick<Stats, 'mode'>): number {
  return (mode & 0o777) + (goKinds.get(kindOf(mode)) ?? 0)
}

/**
 * The last dot of a name and the text after it. The extension of `.hidden` is the whole name, as clients expect
 * (contract/compatibility.md#listings-and-files).
 */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot)
}

/** The URL of the page that shows a resource: `page` and the encoded path. URLs of folders end with a slash. */
export function pageUrl(path: string, isDir: boolean, page = '/files'): string {
  const encoded = encodePath(path)
  return `${page}${isDir && !encoded.endsWith('/') ? `${encoded}/` : encoded}`
}

/**
 * A strong validator for one state of a file (RFC 9110 §8.8.3). Every write of Coffer creates a new inode, so two
 * writes in one clock tick of the disk have different etags.
 */
export function etagOf(stats: Stats): string {
  const parts = [Math.round(stats.mtimeMs * 1000), stats.size, stats.ino]
  return `"${parts.map((part) => part.toString(16)).join('-')}"`
}

// The range of RFC 3339. Disks can store times outside it.
const firstMs = Date.parse('0000-01-01T00:00:00.000Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

const dayMs = 24 * 60 * 60 * 1000
let lastDay = { day: Number.NaN, text: '' }

/** The modification time of a file in RFC 3339, clamped to the range that it can express. */
export function modifiedOf({ mtimeMs }: Pick<Stats, 'mtimeMs'>): string {
  const ms = Math.trunc(Math.min(Math.max(mtimeMs || 0, firstMs), lastMs))
  const day = Math.floor(ms / dayMs)
  // Caches the date: most files of a folder were changed on the same few days, and formatting the date is expensive.
  if (lastDay.day !== day) lastDay = { day, text: new Date(day * dayMs).toISOString().slice(0, 11) }
  const rest = ms - day * dayMs
  const [hours, minutes] = [Math.trunc(rest / 3_600_000), Math.trunc(rest / 60_000) % 60]
  const [seconds, fraction] = [Math.trunc(rest / 1000) % 60, rest % 1000]
  return `${lastDay.text}${digits(hours, 2)}:${digits(minutes, 2)}:${digits(seconds, 2)}.${digits(fraction, 3)}Z`
}

function digits(number: number, width: number): string {
  return String(number).padStart(width, '0')
}
