import { relative } from 'node:path'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { openHostFolder, openPath } from '#src/files/jail/jail.ts'
import { mediaType } from '#src/files/listing/entry.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { decodePath, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import type { Store } from '#src/state/store.ts'
import { manifestIcons } from './manifest.ts'

/** A file of the branding folder that may be sent. */
export interface BrandingFile {
  /** Real path of the folder. */
  root: string
  /** Path of the file below `root`, with links resolved. */
  name: string
  /** For the header `Content-Type`. */
  type: string
}

const style = '/custom.css' as UserPath
/** The largest file that is served, in bytes. */
export const largestBytes = 5 * 1024 * 1024

const logo = '/img/logo.svg' as UserPath

// The file names of older branding folders that also replace these images (contract/compatibility.md#branding).
const alternatives: Record<string, readonly string[]> = {
  'icon.svg': [
    'img/icons/favicon.svg',
    'img/logo.svg',
    'img/icons/favicon-32x32.png',
    'img/icons/favicon.ico',
  ],
  'img/icons/apple-touch-icon.png': ['img/icons/android-chrome-192x192.png'],
}

/**
 * Serves the branding folder that an administrator chose: a folder of the host with `custom.css` and images in `img/`.
 * Follows symbolic links inside that folder only. Never sends other files of it and never lists it.
 *
 * @param options.secret real paths that no user can reach
 */
export function createBranding({
  settings,
  secret,
}: {
  settings: Store['settings']
  secret: readonly string[]
}) {
  const open = (folder: string): Promise<Jail> => openHostFolder(folder, { allows: isBranding, secret })

  async function locate(path: UserPath): Promise<BrandingFile | undefined> {
    const { files } = (await settings.get()).branding
    if (!files || !isBranding(path)) return undefined
    const jail = await open(files)
    await using opened = await openPath(jail, path)
    if (!opened.stats.isFile() || opened.stats.size > largestBytes) return undefined
    const type = path === style ? 'text/css; charset=utf-8' : (mediaType(path) ?? '')
    return { root: jail.root, name: relative(jail.root, opened.real), type }
  }

  async function find(path: string): Promise<BrandingFile | undefined> {
    if (!(await settings.get()).branding.files) return undefined
    for (const name of [path, ...(entryOf(alternatives, path) ?? [])]) {
      const found = await undefinedIfRefused(() => locate(decodePath(`/${name}`).path))
      if (found) return found
    }
    return undefined
  }

  const has = async (path: UserPath) => (await undefinedIfRefused(() => locate(path))) !== undefined

  return {
    /** The file that replaces `/static/<path>`, percent-encoded; undefined: the built-in file is served. */
    find,

    /** Whether the folder has a style sheet. */
    hasStyle: () => has(style),

    /** Whether the folder has a logo. */
    hasLogo: () => has(logo),

    /** The manifest icons that the folder has, with their media types. */
    async icons(): Promise<{ src: string; type: string }[]> {
      const found = manifestIcons.map(async (src) => ({ src, type: (await find(src))?.type }))
      return (await Promise.all(found)).flatMap(({ src, type }) => (type ? [{ src, type }] : []))
    },

    /** Checks that a folder of the host can be used. @throws Problem `request.invalid`. */
    async checkFolder(folder: string): Promise<void> {
      const isFolder = await undefinedIfRefused(async () => {
        await using opened = await openPath(await open(folder), rootPath)
        return opened.stats.isDirectory()
      })
      if (!isFolder) {
        throw new Problem('request.invalid', {
          field: 'branding.files',
          reason: 'is not a folder that the server can read',
        })
      }
    },
  }
}

export type Branding = ReturnType<typeof createBranding>

/** Whether a file may be served. A wrong setting of an administrator must not publish a whole disk. */
export function isBranding(path: string): boolean {
  if (path === rootPath || path === style) return true
  return path.startsWith('/img/') && (mediaType(path)?.startsWith('image/') ?? false)
}

/** Returns undefined for a missing or unreadable file: the page then uses the built-in file. */
async function undefinedIfRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
