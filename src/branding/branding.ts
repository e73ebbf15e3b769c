import { relative } from 'node:path'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import type { Store } from '#src/core/state/store.ts'
import { openHostFolder, openPath } from '#src/files/jail/jail.ts'
import { mediaType } from '#src/files/listing/media-type.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { decodePath, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { manifestIcons } from './manifest.ts'

/** A file of the branding folder that may be sent. */
export interface BrandFile {
  /** Real path of the folder. */
  root: string
  /** Path of the file below `root`, with links resolved. */
  name: string
  /** For the header `Content-Type`. */
  type: string
}

const style = '/custom.css' as UserPath
const largestBytes = 5 * 1024 * 1024

const logo = '/img/logo.svg' as UserPath

// The product's own pictures give way to those that branding folders have always had (contract/compatibility.md#branding).
const standIns: Record<string, readonly string[]> = {
  'icon.svg': [
    'img/icons/favicon.svg',
    'img/logo.svg',
    'img/icons/favicon-32x32.png',
    'img/icons/favicon.ico',
  ],
  'img/icons/apple-touch-icon.png': ['img/icons/android-chrome-192x192.png'],
}

/**
 * The look that an administrator gives the instance: a folder of the host with `custom.css` and pictures in `img/`. Links
 * are followed inside that folder only, nothing else in it is ever sent, and nothing is listed.
 *
 * @param options.secret real paths that nobody reaches
 */
export function createBranding({ store, secret }: { store: Store; secret: readonly string[] }) {
  const open = (folder: string): Promise<Jail> => openHostFolder(folder, { allows: isBranding, secret })

  async function locate(path: UserPath): Promise<BrandFile | undefined> {
    const { files } = store.data.settings.branding
    if (!files || !isBranding(path)) return undefined
    const jail = await open(files)
    await using held = await openPath(jail, path)
    if (!held.stats.isFile() || held.stats.size > largestBytes) return undefined
    const type = path === style ? 'text/css; charset=utf-8' : (mediaType(path) ?? '')
    return { root: jail.root, name: relative(jail.root, held.real), type }
  }

  async function find(path: string): Promise<BrandFile | undefined> {
    if (!store.data.settings.branding.files) return undefined
    for (const name of [path, ...(entryOf(standIns, path) ?? [])]) {
      const found = await unlessRefused(() => locate(decodePath(`/${name}`).path))
      if (found) return found
    }
    return undefined
  }

  const has = async (path: UserPath) => (await unlessRefused(() => locate(path))) !== undefined

  return {
    /** The file that takes the place of `/static/<path>`, percent-encoded; undefined: the product's own stays. */
    find,

    /** Whether there is a style to link to. */
    hasStyle: () => has(style),

    /** Whether there is a logo to show in the place of the product's. */
    hasLogo: () => has(logo),

    /** The pictures that the folder has of those that a manifest may name, with their media types. */
    async icons(): Promise<{ src: string; type: string }[]> {
      const found = manifestIcons.map(async (src) => ({ src, type: (await find(src))?.type }))
      return (await Promise.all(found)).flatMap(({ src, type }) => (type ? [{ src, type }] : []))
    },

    /** Makes sure that a folder of the host can be used. @throws Problem `request.invalid`. */
    async checkFolder(folder: string): Promise<void> {
      const isFolder = await unlessRefused(async () => {
        await using held = await openPath(await open(folder), rootPath)
        return held.stats.isDirectory()
      })
      if (!isFolder) {
        throw new Problem('request.invalid', {
          field: 'branding.files',
          reason: 'is not a folder that this program can read',
        })
      }
    },
  }
}

export type Branding = ReturnType<typeof createBranding>

/** What may leave the folder: an administrator's slip must not open a whole disk to strangers. */
function isBranding(path: string): boolean {
  if (path === rootPath || path === style) return true
  return path.startsWith('/img/') && (mediaType(path)?.startsWith('image/') ?? false)
}

/** A missing or unreadable file is no fault of who asks for the page: the product's own takes its place. */
async function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
