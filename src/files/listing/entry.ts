import { constants, type Stats } from 'node:fs'
import mime from 'mime'
import type { ResourceType } from '#contract/schema/resource-path.ts'
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

// Extensions whose registered type is not the usual one: `.ts` is TypeScript here, not an MPEG transport stream.
const overrides = new Map<string, string>(
  Object.entries({
    ts: 'text/typescript',
    mts: 'text/typescript',
    cts: 'text/typescript',
    tsx: 'text/tsx',
    jsx: 'text/jsx',
    vtt: 'text/vtt',
    srt: 'text/plain',
    ass: 'text/plain',
    ssa: 'text/plain',
    log: 'text/plain',
    mka: 'audio/x-matroska',
    flac: 'audio/flac',
  }),
)

// Types application/… that are text.
const textual =
  /^application\/(json5?|javascript|ecmascript|xml|x-sh|x-csh|x-tex|x-subrip|sql|toml|yaml|rtf|x-httpd-php|x-perl|typescript|graphql|ld\+json|manifest\+json)$|[+/](json|xml|yaml)$/
// Types that are never text, so that the file need not be opened.
const binary =
  /^(font|model|chemical)\/|^application\/(octet-stream|zip|gzip|java-archive|wasm|msword|vnd\.|x-(7z|rar|bzip|xz|tar|iso|msdownload|executable|sqlite|shockwave|font|apple-diskimage|debian|rpm))/

/** The media type of a name by its extension; undefined when the extension is unknown. */
export function mediaType(name: string): string | undefined {
  const extension = extensionOf(name).slice(1).toLowerCase()
  // `mime` treats a bare word as an extension: a file called `json` has none.
  return overrides.get(extension) || (extension && mime.getType(extension)) || undefined
}

// A cache: a large folder has many files and few extensions.
const cache = new Map<string, ResourceType | undefined>()
const maxCached = 1000

/** The type of a file according to its name; undefined when it depends on the first bytes. */
export function typeByName(name: string): ResourceType | undefined {
  const extension = extensionOf(name)
  if (cache.has(extension)) return cache.get(extension)
  const type = resourceType(mediaType(name))
  if (cache.size >= maxCached) cache.clear()
  cache.set(extension, type)
  return type
}

function resourceType(type: string | undefined): ResourceType | undefined {
  if (!type) return undefined
  if (type === 'application/pdf') return 'pdf'
  const [, kind] = /^(image|audio|video)\//.exec(type) ?? []
  if (kind) return kind as ResourceType
  if (type.startsWith('text/') || textual.test(type)) return 'text'
  return binary.test(type) ? 'blob' : undefined
}

/** Matches names of subtitle files, in any case. */
export const subtitleName = /\.(vtt|srt|ass|ssa)$/i

/** The maximum size of a text file, in bytes (contract/compatibility.md#listings-and-files). */
export const maxTextBytes = 10 * 1024 * 1024

/** The number of bytes of the beginning of a file that `looksBinary` needs. */
export const sampleBytes = 512

/**
 * Whether a file that begins with `sample` is binary: it has a code point up to 8, or bytes that are not UTF-8,
 * except for a character that is cut off by the end of the sample (contract/compatibility.md#listings-and-files).
 */
export function looksBinary(sample: Uint8Array): boolean {
  if (sample.some((byte) => byte <= 8)) return true
  try {
    // With `stream`, the decoder accepts a character that is cut off at the end.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: sample.length >= sampleBytes })
    return false
  } catch {
    return true // the decoder throws only for invalid UTF-8
  }
}

// Files that are smaller may be stored without blocks, and disks allocate blocks within this time.
const inlineBytes = 64 * 1024
const settledAfterMs = 60_000

/**
 * The bytes that a file takes: its size, or what is allocated for a file with holes. The blocks of a file that was
 * written just now may not be allocated yet, and those of a small file are part of its inode.
 */
export function spaceOf({ size, blocks, mtimeMs }: Stats): number {
  const isSettled = Math.abs(Date.now() - mtimeMs) > settledAfterMs
  return size > inlineBytes && isSettled && blocks > 0 ? Math.min(size, blocks * 512) : size
}
