import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { byteLengthOnDisk, hasEscapedBytes, isCanonicalText } from './byte-names.ts'

declare const normal: unique symbol

/**
 * A path as the user sees it: absolute from their scope, `/`-separated, normalized once, without a trailing slash
 * (except `/` itself), without zero bytes. The path that is checked is the path that is used
 * (contract/README.md#resources). A name that is not UTF-8 has exactly one spelling (`byte-names.ts`). A name may have other
 * control characters, because such files exist: macOS names the icon of a folder `Icon` and a carriage return.
 */
export type UserPath = string & { readonly [normal]: true }

/** A path and whether it was written with a trailing slash, which means a folder. */
export interface NormalizedPath {
  path: UserPath
  asFolder: boolean
}

export const rootPath = '/' as UserPath

// Linux rejects longer ones (PATH_MAX, NAME_MAX). Checking it here gives the same error on every disk.
const longestPath = 4096
const longestName = 255
/** The maximum number of names in the path of a new entry. Other programs may create deeper entries. */
export const maxDepth = 255

/**
 * Decodes the percent-encoded path of a URL, exactly once.
 *
 * @throws Problem `path.invalid` for broken encodings, invalid UTF-8, zero bytes and names no disk can hold.
 */
export function decodePath(encoded: string, platform = process.platform): NormalizedPath {
  try {
    return normalizePath(decodeURIComponent(encoded), platform)
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('path.invalid', { reason: 'it is not percent-encoded UTF-8' }, { cause: error })
  }
}

/**
 * Normalizes a decoded path. Dot segments cannot leave the root: `/../x` is `/x`.
 *
 * @param platform the system with the files. On Windows, more names are invalid (`windows-names.ts`).
 * @throws Problem `path.invalid` as `decodePath` does.
 */
export function normalizePath(decoded: string, platform = process.platform): NormalizedPath {
  const reason = reasonToReject(decoded)
  if (reason) throw new Problem('path.invalid', { reason })
  const segments: string[] = []
  for (const segment of decoded.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') segments.pop()
    else segments.push(checkedName(segment, platform))
  }
  const last = decoded.slice(decoded.lastIndexOf('/') + 1)
  const asFolder = segments.length === 0 || last === '' || last === '.' || last === '..'
  return { path: `/${segments.join('/')}` as UserPath, asFolder }
}

/**
 * Normalizes a path in a setting, at which Coffer may make a folder later. So it is refused now if such a folder could not
 * be made for its control characters.
 *
 * @throws Problem `path.invalid` as `normalizePath` does.
 */
export function normalizeSetting(written: string): NormalizedPath {
  if (hasControl(written)) throw new Problem('path.invalid', { reason: 'it contains a control character' })
  return normalizePath(written)
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text)
}

function reasonToReject(decoded: string): string | undefined {
  if (decoded.includes('\0')) return 'it contains a zero byte'
  if (!decoded.isWellFormed()) return 'it is not valid Unicode'
  if (!isCanonicalText(decoded)) return 'it contains an unnecessary byte escape'
  if (byteLengthOnDisk(decoded) > longestPath) return `it is longer than ${longestPath} bytes`
  return undefined
}

function checkedName(segment: string, platform: NodeJS.Platform): string {
  if (byteLengthOnDisk(segment) > longestName) {
    throw new Problem('path.invalid', { reason: `a name is longer than ${longestName} bytes` })
  }
  const reason = platform === 'win32' ? windowsFault(segment) : undefined
  if (reason) throw new Problem('path.invalid', { reason })
  return segment
}

/**
 * Refuses to create something whose name is not UTF-8 or has a control character; `path` is its path. Commands that are
 * bound to events receive names as text and cannot receive a name that is not UTF-8, so a user could create one to avoid
 * the commands. Other programs mistake control characters for the end of a name. Existing names are not affected.
 *
 * @throws Problem `path.invalid`.
 */
export function checkNewName(path: UserPath): void {
  const name = nameOf(path)
  if (hasEscapedBytes(name)) throw new Problem('path.invalid', { reason: 'a new name must be UTF-8' })
  if (hasControl(name))
    throw new Problem('path.invalid', { reason: 'a new name must not contain a control character' })
}

/** The path of `name` inside the folder `path`. `name` must come from the disk or from a normalized path. */
export function childOf(path: string, name: string): UserPath {
  return (path === '/' ? `/${name}` : `${path}/${name}`) as UserPath
}

/** The folder that contains `path`; the root for the root. */
export function parentOf(path: UserPath): UserPath {
  return (path.slice(0, path.lastIndexOf('/')) || '/') as UserPath
}

/** The path of the first `count` names of `path`. */
export function firstNames(path: UserPath, count: number): UserPath {
  return `/${path
    .split('/')
    .slice(1, count + 1)
    .join('/')}` as UserPath
}

/** The last name of `path`; empty for the root. */
export function nameOf(path: UserPath): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The number of names in `path`; 0 for the root. */
export function depthOf(path: string): number {
  let depth = path === '/' ? 0 : 1
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) depth++
  return depth
}

/** Whether `path` is `folder` or is below it. Compares whole names, so `/ab` is not inside `/a`. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

/** The deepest folder that contains all `paths`. It is none of them, unless that is the root. */
export function commonFolder(paths: readonly string[]): UserPath {
  const [first = rootPath, ...others] = paths as readonly UserPath[]
  let folder = parentOf(first)
  const isAbove = (path: string) => folder === rootPath || (path !== folder && isWithin(path, folder))
  while (!others.every(isAbove)) folder = parentOf(folder)
  return folder
}

/** Percent-encodes a path for a URL, name by name. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

// Names that Coffer gives to its own entries in users' folders. They are reserved on every disk, in upper and lower
// case: users cannot see, open or create such names.

// Received files are written beside their target, so that the final rename stays on one disk.
const temporaryPrefix = '.coffer-part-'

/** The folder for deleted entries and old contents at the top of a disk (`files/kept/kept-folder.ts`). */
export const keptName = '.coffer-kept'

const reservedPrefixes = [temporaryPrefix, keptName]

/** Returns a new name for a file that is still being written. */
export function temporaryName(): string {
  return `${temporaryPrefix}${randomId()}`
}

/** Whether a name on the disk is the name of a file that is still being written. */
export function isTemporary(name: string): boolean {
  return hasPrefix(name, temporaryPrefix)
}

/** Whether a name on the disk is reserved for Coffer, and hidden from users. */
export function isReserved(name: string): boolean {
  return name.startsWith('.') && reservedPrefixes.some((prefix) => hasPrefix(name, prefix))
}

/** Whether a path leads to or through an entry with a reserved name. */
export function hasReserved(path: string): boolean {
  if (!path.includes('/.')) return false
  const lower = path.toLowerCase()
  return reservedPrefixes.some((prefix) => lower.includes(`/${prefix}`))
}

function hasPrefix(name: string, prefix: string): boolean {
  return name.slice(0, prefix.length).toLowerCase() === prefix
}

/** The names of devices. Windows opens the device in every folder, also with an extension: `NUL`, `con.txt`. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i

/**
 * Why Windows would not open the entry of this name; undefined if it would. Windows changes such a name, or opens
 * something else, so that a rule for the entry would not apply. The name is one segment of a path.
 */
export function windowsFault(name: string): string | undefined {
  // A control character is never part of a name. A colon begins a drive (`C:`) or a stream of a file (`a.txt:b`). A backslash separates names.
  if (/[\\:*?"<>|]/.test(name) || [...name].some((character) => character < ' '))
    return 'it contains a character that names cannot contain'
  if (/[. ]$/.test(name)) return 'a name ends with a dot or a space'
  const [beforeDot = ''] = name.split('.')
  if (device.test(beforeDot.trimEnd())) return `${name} is the name of a device`
  return undefined
}
