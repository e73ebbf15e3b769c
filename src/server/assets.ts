import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { embeddedFile, isEmbedded, isExecutable } from '#src/core/embedded.ts'
import { entryOf } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'

/** One file of the web build, ready to send. */
export interface Asset {
  /** The content. The executable contains most files only compressed: the first call then decompresses it. */
  body(): Buffer
  readonly gzip?: Buffer
  readonly brotli?: Buffer
  /** The value of the header `Content-Type`. */
  readonly type: string
  /** Strong validator (RFC 9110 §8.8.3), including quotes. */
  readonly etag: string
  /** The name contains the hash of the content: clients may cache the file forever. */
  readonly immutable: boolean
}

export interface Assets {
  /** The HTML page with its placeholders `%STATIC%`, `%TITLE%`, `%SETTINGS%` and `%THEME%`. */
  readonly page: string
  /** The file with this path below the static URL, such as `main-ABCDEFGH.js`; undefined when it does not exist. */
  find(path: string): Asset | undefined
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Files that are not served: the template of the page, and the metadata of the build. */
const unserved = ['index.html', 'meta.json']

/** The files of the web build, by their paths in `web/dist`. */
interface Files {
  has(name: string): boolean
  read(name: string): Buffer | undefined
}

/**
 * Opens the web build in the executable, or reads that of `folder` into memory. Reads nothing from the disk afterwards.
 *
 * @throws StartupProblem when the web was not built.
 */
export async function loadAssets(folder = 'web/dist'): Promise<Assets> {
  const files = isExecutable ? embeddedFiles : await folderFiles(folder)
  const page = files.read('index.html')?.toString()
  if (!page)
    throw new StartupProblem(
      `The web page is not built (${folder}/index.html is missing): run npm run build.`,
    )
  // Made when they are requested first, which keeps the start short.
  const assets = new Map<string, Asset>()
  return {
    page,
    find(name) {
      const type = entryOf(types, path.extname(name))
      if (!type || unserved.includes(name) || !files.has(name)) return undefined
      const asset = assets.get(name) ?? makeAsset(name, type, files)
      assets.set(name, asset)
      return asset
    },
  }
}

function makeAsset(name: string, type: string, files: Files): Asset {
  // Kept, because anyone may request it without compression again and again: at most 4 MB for all files.
  let content: Buffer | undefined
  const body = () => {
    content ??= files.read(name) ?? Buffer.alloc(0)
    return content
  }
  const gzip = files.read(`${name}.gz`)
  const brotli = files.read(`${name}.br`)
  const hash = createHash('sha256').update(brotli ?? body())
  return {
    body,
    ...(gzip && { gzip }),
    ...(brotli && { brotli }),
    type,
    etag: `"${hash.digest('base64url').slice(0, 22)}"`,
    immutable: /-[A-Z0-9]{8}\.\w+$/.test(name),
  }
}

const embeddedFiles: Files = {
  has: (name) => isEmbedded(`web/${name}`),
  read: (name) => embeddedFile(`web/${name}`),
}

async function folderFiles(folder: string): Promise<Files> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  const named = files.map(async (file): Promise<[string, Buffer]> => {
    return [path.relative(folder, file).split(path.sep).join('/'), await readFile(file)]
  })
  const bodies = new Map(await Promise.all(named))
  return { has: (name) => bodies.has(name), read: (name) => bodies.get(name) }
}
