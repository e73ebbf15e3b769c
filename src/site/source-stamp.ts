import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { posix } from 'node:path'
import { lstat } from '#src/files/paths/disk.ts'
import { readShownNames } from '#src/files/paths/read-folder.ts'
import type { Website } from './website/website.ts'

// A site with more files is compared by the first ones. Jekyll and Hugo need minutes for such a site anyway.
const mostEntries = 20_000
const atOnce = 64

/** Folders of tools at the top of a site, which change without a change of the site. */
const toolFolders = ['node_modules', 'vendor', 'resources']

/**
 * Returns a text that is another one when a file of the website was added, changed or removed, by any program. Compares
 * names, times and sizes, without the public folder and hidden files, and reads no contents.
 */
export async function sourceStamp(site: Website): Promise<string> {
  const hash = createHash('sha256')
  const others = new Set([realPublic(site), ...toolFolders.map((name) => posix.join(site.real, name))])
  const folders: string[] = [site.real]
  let left = mostEntries
  for (let folder = folders.pop(); folder !== undefined && left > 0; folder = folders.pop()) {
    const names = (await namesIn(folder)).toSorted().slice(0, left)
    left -= names.length
    for await (const { path, stats } of statsIn(folder, names)) {
      if (others.has(path)) continue
      if (stats.isDirectory()) folders.push(path)
      hash.update(lineOf(path, stats))
    }
  }
  return hash.digest('base64url')
}

/** A folder changes when what is in it changes. */
function lineOf(path: string, stats: Stats): string {
  return stats.isDirectory() ? `${path}\0` : `${path}\0${stats.mtimeMs} ${stats.size} ${stats.ino}\0`
}

async function* statsIn(
  folder: string,
  names: readonly string[],
): AsyncGenerator<{ path: string; stats: Stats }> {
  for (let from = 0; from < names.length; from += atOnce) {
    const paths = names.slice(from, from + atOnce).map((name) => posix.join(folder, name))
    const all = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)))
    for (const [at, stats] of all.entries()) if (stats) yield { path: paths[at] ?? '', stats }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const sight = { secrets: [], hideDotfiles: true, allows: () => true }
  return readShownNames(folder, sight).catch(() => []) // removed meanwhile; the generator reports what it cannot read
}

/** The real path of the public folder, unless a symbolic link leads there. */
export function realPublic({ real, root, public: output }: Website): string {
  return posix.join(real, output.slice(root === '/' ? 0 : root.length))
}
