import { posix } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml, stringify } from 'yaml'
import type { Principal } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import { slugOf } from '#src/core/text/slug.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { readShownNames } from '#src/files/paths/read-folder.ts'
import { childOf, nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { type ContentTools, readContent } from '#src/site/publishing/undraft.ts'
import { configOf, type Website } from '#src/site/website/website.ts'
import { type PageMaker, pathWithin } from './pages.ts'

const ownKinds = ['post', 'draft', 'page']

/** The parts of Jekyll's configuration that new pages depend on. */
interface JekyllConfig {
  collections?: unknown
  defaults?: unknown
  layouts_dir?: unknown
  /** A theme brings layouts of its own, which are not in the site. */
  theme?: unknown
  remote_theme?: unknown
}

/**
 * Makes posts, drafts, pages and entries of collections. The front matter defaults of the site give the layout, or else
 * the page names one that the site has.
 */
export function createJekyllPages(options: { clock: Clock; open: ContentTools['open'] }): PageMaker {
  async function configFor(person: Principal, site: Website): Promise<JekyllConfig> {
    const config = await configOf('jekyll', site)
    if (!config) return {}
    try {
      const text = (await readContent(options, person, config)).bytes.toString()
      return (
        (nameOf(config).endsWith('.toml') ? parseToml(text) : parseYaml(text, { maxAliasCount: 100 })) ?? {}
      )
    } catch {
      return {} // a configuration that cannot be read gives no defaults; the generator says what is wrong
    }
  }

  return {
    async kindsOf(person, site) {
      const { collections } = await configFor(person, site)
      const names = Array.isArray(collections) ? collections : Object.keys(collections ?? {})
      const own = names.map(String).filter((name) => /^\w[\w-]*$/.test(name) && name !== 'posts')
      return [...ownKinds, ...own.filter((name) => !ownKinds.includes(name))]
    },

    async make(person, site, { kind, title, folder, path }) {
      const config = await configFor(person, site)
      const layout = hasDefaultLayout(config, kind) ? undefined : await layoutFor(site, config, kind)
      const time = localTime(new Date(options.clock()))
      const fields = {
        ...(layout && { layout }),
        title,
        ...(kind === 'post' && { date: time }),
      }
      const text = `---\n${stringify(fields, { lineWidth: 0 })}---\n\n`
      const usual = usualPath(kind, slugOf(title), time.slice(0, 10))
      const file = folder === undefined ? usual : posix.join(folder, posix.basename(usual))
      return [{ path: path ?? (pathWithin(site.root, file) as UserPath), bytes: Buffer.from(text) }]
    },
  }
}

function usualPath(kind: string, slug: string, day: string): string {
  if (kind === 'post') return `_posts/${day}-${slug}.md`
  if (kind === 'draft') return `_drafts/${slug}.md`
  return kind === 'page' ? `${slug}.md` : `_${kind}/${slug}.md`
}

function layoutOf(kind: string): string {
  if (kind === 'page') return 'page'
  return ownKinds.includes(kind) ? 'post' : 'default'
}

/** The layout of a new page: the usual one of its kind, or else the default one. Undefined: the site has neither. */
async function layoutFor(site: Website, config: JekyllConfig, kind: string): Promise<string | undefined> {
  const usual = layoutOf(kind)
  if (config.theme || config.remote_theme) return usual
  const names = await layoutsIn(
    site,
    typeof config.layouts_dir === 'string' ? config.layouts_dir : '_layouts',
  )
  return [usual, 'default'].find((name) => names.has(name))
}

/** The names of the layouts of the site, without extensions. */
async function layoutsIn({ jail, root }: Website, folder: string): Promise<ReadonlySet<string>> {
  try {
    await using held = await openPath(jail, pathWithin(root, folder))
    const allows = (name: string) => jail.allows(childOf(held.path, name))
    const names = await readShownNames(held.address, { secrets: [], hideDotfiles: true, allows })
    return new Set(names.map((name) => posix.parse(name).name))
  } catch {
    return new Set() // there is no such folder
  }
}

/** Whether the front matter defaults give all pages of this kind a layout, so that a page needs none of its own. */
function hasDefaultLayout({ defaults }: JekyllConfig, kind: string): boolean {
  const type = kind === 'page' ? 'pages' : ['post', 'draft'].includes(kind) ? `${kind}s` : kind
  return (Array.isArray(defaults) ? defaults : []).some(
    (one) => !one?.scope?.path && [undefined, '', type].includes(one?.scope?.type) && one?.values?.layout,
  )
}

/** A local time with its zone, as Jekyll writes it: `2026-12-01 08:30:00 +0100`. */
function localTime(at: Date): string {
  const two = (n: number) => String(Math.trunc(Math.abs(n))).padStart(2, '0')
  const minutes = -at.getTimezoneOffset()
  const zone = `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}${two(minutes % 60)}`
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zone}`
}
