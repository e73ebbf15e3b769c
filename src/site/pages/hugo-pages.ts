import { posix } from 'node:path'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { slugOf } from '#src/core/text/slug.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { exists } from '#src/files/jail/locate.ts'
import { mkdir, realpath, rm } from '#src/files/paths/disk.ts'
import { readShownNames } from '#src/files/paths/read-folder.ts'
import { childOf, isWithin } from '#src/files/paths/user-path.ts'
import { readTree } from '#src/files/reading/read-tree.ts'
import type { FrontMatterReader } from '#src/site/front-matter/front-matter-reader.ts'
import { decode } from '#src/site/publishing/undraft.ts'
import type { Generator } from '#src/site/website/generator.ts'
import { isContentName, requireWhole, type Website } from '#src/site/website/website.ts'
import { type NewPage, type PageMaker, pathWithin } from './pages.ts'

/** The largest page that an archetype may make. */
const mostPage = { files: 100, bytes: 10 * 1024 * 1024 }

/** Makes pages from the files and folders in `archetypes/`, with `hugo new`. */
export function createHugoPages(options: {
  generator: Generator
  cacheFolder: string
  signal: AbortSignal
  frontMatter: FrontMatterReader
}): PageMaker {
  const { generator, cacheFolder, signal, frontMatter } = options

  /** Lets Hugo write a page into a folder of its own instead of the content folder: the site is read-only for it. */
  async function runHugo(site: Website, kind: string, file: string) {
    const folder = posix.join(cacheFolder, `page-${randomId()}`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      const output = await realpath(folder)
      const places = ['--source', site.real, '--contentDir', output]
      // After `--`, a name with a hyphen in front is not an option.
      const args = ['new', '--noBuildLock', '--kind', kind, ...places, '--', file]
      const task = { site: site.settings, root: site.real, output, args, isBuild: false, signal }
      const { isOk, output: said } = await generator.run(task)
      if (!isOk) throw new Problem('site.failed', { generator: generator.kind, output: said })
      const files = await readTree(output, mostPage)
      if (files) return files
      throw new Problem('site.archetype', { reason: 'its files are too large' })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Hugo makes the title from the name of the file, which lacks capital letters, accents and signs. */
  async function withTitle(
    person: Principal,
    { bytes, path, title }: { bytes: Buffer; path: string; title: string },
  ): Promise<Buffer> {
    if (title === '' || !isContentName(path)) return bytes
    try {
      const text = decode(bytes)
      const { fields } = await frontMatter.read(person, text)
      const hasTitle = fields.some(({ name, kind }) => name === 'title' && kind === 'text')
      if (!hasTitle) return bytes
      return Buffer.from((await frontMatter.change(person, text, [{ name: 'title', value: title }])).text)
    } catch {
      return bytes // the archetype has other front matter
    }
  }

  return {
    async kindsOf(_person, site) {
      const kinds = await kindsIn(site)
      return ['default', ...kinds.filter((one) => one !== 'default')]
    },

    async make(person, site, page) {
      await requireWhole(site, person)
      const base = site.content[0] ?? site.root
      const wanted = page.path ?? pathWithin(base, posix.join(folderOf(page), `${slugOf(page.title)}.md`))
      if (!isWithin(wanted, base)) throw new Problem('site.outside', { path: wanted })
      if (await exists(site.jail, wanted)) throw new Problem('path.exists', { path: wanted })
      const files = await runHugo(site, page.kind, wanted.slice(base.length + 1))
      const titled = []
      for (const { path, bytes } of files) {
        const made = await withTitle(person, { bytes, path, title: page.title })
        titled.push({ path: pathWithin(base, path), bytes: made })
      }
      return titled
    },
  }
}

function folderOf({ kind, folder }: NewPage): string {
  return folder ?? (kind === 'default' ? '' : kind)
}

async function kindsIn({ jail, root }: Website): Promise<string[]> {
  const folder = childOf(root, 'archetypes')
  if (!(await exists(jail, folder).catch(() => false))) return []
  await using held = await openPath(jail, folder)
  if (!held.stats.isDirectory()) return []
  const allows = (name: string) => jail.allows(childOf(folder, name))
  const found = await readShownNames(held.address, { secrets: [], hideDotfiles: true, allows })
  const names = found.map((name) => (isContentName(name) ? posix.parse(name).name : name))
  // A name with a hyphen in front would be read as an option.
  return [...new Set(names)].filter((name) => /^[^\p{C}/\\-][^\p{C}/\\]*$/u.test(name)).toSorted()
}
