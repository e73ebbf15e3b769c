import type {
  FrontMatterChange,
  Published,
  PublishState,
  SiteGenerator,
  SiteView,
} from '#contract/publish.ts'
import type { Principal } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import type { Change } from '#src/files/changes/change.ts'
import { normalizePath, type UserPath } from '#src/files/paths/user-path.ts'
import type { Operations } from '#src/operations/operations.ts'
import {
  createFrontMatterReader,
  type FrontMatterReader,
  type FrontMatterThreads,
} from './front-matter/front-matter-reader.ts'
import { createHugoPages } from './pages/hugo-pages.ts'
import { createJekyllPages } from './pages/jekyll-pages.ts'
import { createPages, type NewPage, type PageMaker } from './pages/pages.ts'
import { createPublications, type PublishTools } from './publishing/publications.ts'
import { createSchedules } from './publishing/schedules.ts'
import { type ContentTools, createUndraft } from './publishing/undraft.ts'
import { createSitePreviews } from './site-preview.ts'
import { statusIn } from './status.ts'
import type { Generator } from './website/generator.ts'
import { authorizePublishing } from './website/site.policy.ts'
import { schedulesOf } from './website/site-records.ts'
import { configOf, openWebsite, pathInContent, requireInside, type Website } from './website/website.ts'

/** What the website needs from the other services. */
export interface SiteOptions
  extends Pick<PublishTools, 'store' | 'records' | 'hooks' | 'parts' | 'modes'>,
    Pick<ContentTools, 'open' | 'save'> {
  /** Undefined: publishing is off. */
  generator: Generator | undefined
  cacheFolder: string
  baseUrl: string
  clock: Clock
  log: Logger
  personOf(userId: number, change?: Change): Principal | undefined
  /** Runs scheduled publications in an operation. */
  operations: Pick<Operations, 'run'>
  /** Read large front matter. */
  frontMatterThreads: Pick<FrontMatterThreads, 'run'>
  /** Creates a file; refuses an existing one. */
  create(person: Principal, path: UserPath, bytes: Buffer): Promise<unknown>
}

/** The website in the served folder: its pages, previews and publications. */
export function createSite(options: SiteOptions) {
  const { generator } = options
  const closing = new AbortController()
  const frontMatter = createFrontMatterReader(options.frontMatterThreads)
  const parts = generator && createParts({ ...options, generator, signal: closing.signal, frontMatter })

  /** @throws Problem `site.off`. */
  function on() {
    if (!parts) throw new Problem('site.off')
    return parts
  }

  return {
    isOn: parts !== undefined,

    /** Describes the site as the user sees it. @throws Problem `site.off`, and as `openWebsite`. */
    async view(person: Principal): Promise<SiteView> {
      const { kind, open, pages } = on()
      const site = await open(person)
      return describe(kind, site, await pages.kindsOf(person, site))
    },

    /** Says which files of a folder are drafts, scheduled or published. @throws Problem as `statusIn`. */
    async status(person: Principal, path: UserPath): Promise<PublishState[]> {
      const { kind, open } = on()
      const { hideDotfiles } = person.user
      const schedules = schedulesOf(options.records)
      const read = (text: string) => frontMatter.read(person, text)
      const how = { kind, schedules, clock: options.clock, hideDotfiles, read }
      return statusIn(await open(person), path, how)
    },

    /** Creates a page. @returns its path. @throws Problem as `Pages.create`. */
    async createPage(person: Principal, page: NewPage): Promise<UserPath> {
      const { open, pages } = on()
      return pages.create(person, await open(person), page)
    },

    /**
     * Creates the file that a client of File Browser 1 names. Its path is relative to the content folder, unless it is in
     * it already. @returns its path. @throws Problem as `createPage`, `request.invalid` for a name that is not Markdown.
     */
    async createNamedPage(person: Principal, kind: string, path: UserPath): Promise<UserPath> {
      const { open, pages } = on()
      if (!/\.(md|markdown)$/i.test(path)) {
        throw new Problem('request.invalid', { field: 'path', reason: 'must end with .md or .markdown' })
      }
      const site = await open(person)
      return pages.create(person, site, { kind, title: '', path: pathInContent(site, path, kind) })
    },

    /** Parses front matter, and changes fields of it. Stores nothing. @throws Problem as `FrontMatterReader.change`. */
    async frontMatter(person: Principal, text: string, changes?: readonly FrontMatterChange[]) {
      on()
      authorizePublishing(person)
      return frontMatter.change(person, text, changes)
    },

    /** Publishes now, or at a time. @throws Problem as `Publications.publish` and `Schedules.add`. */
    async publish(person: Principal, path: UserPath, at?: string): Promise<Published> {
      const { publications, schedules } = on()
      if (at === undefined) return publications.publish(person, path)
      const scheduled = await schedules.add(person, path, at)
      return { path, output: '', duration: 0, scheduled }
    },

    /** What is scheduled, and the last runs. */
    list: async (person: Principal) => on().publications.list(person),
    cancel: async (person: Principal, id: string) => on().schedules.cancel(person, id),

    /**
     * Checks before a file is saved that the user may publish it then, or schedule it for `at`.
     *
     * @throws Problem as `publish` does for what can be known before.
     */
    async authorize(person: Principal, path: UserPath, at?: string): Promise<void> {
      const { open, schedules } = on()
      const site = await open(person)
      requireInside(site, path)
      if (at !== undefined) schedules.checkTime(at)
    },

    /** Builds a preview. @returns its id. */
    async preview(person: Principal): Promise<string> {
      const { open, previews } = on()
      return previews.open(person, await open(person))
    },
    previewFile: async (id: string, path: string) => on().previews.file(id, normalizePath(path).path),
    previewVersion: (id: string) => on().previews.version(id),

    /** Notes that files have changed, by their real paths. */
    onChanged: (reals: readonly string[]) => parts?.previews.onChanged(reals),

    /** Removes the previews that were not requested for an hour. */
    sweepPreviews: async () => parts?.previews.sweep(),

    /** Runs the publications whose time has come. */
    runDue: async () => parts?.schedules.runDue(),

    close(): void {
      closing.abort()
      parts?.schedules.close()
      parts?.previews.close()
    },
  }
}

export type Site = ReturnType<typeof createSite>

async function describe(generator: SiteGenerator, site: Website, archetypes: string[]): Promise<SiteView> {
  const { root, content, public: output } = site
  return {
    generator,
    root,
    content: [...content],
    public: output,
    config: (await configOf(generator, site)) ?? null,
    archetypes,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

function createParts(
  options: SiteOptions & { generator: Generator; signal: AbortSignal; frontMatter: FrontMatterReader },
) {
  const { generator, store, personOf, create, clock } = options
  const { kind } = generator
  const open = (person: Principal): Promise<Website> => openWebsite(kind, store, person)
  const makers: Record<typeof kind, () => PageMaker> = {
    hugo: () => createHugoPages(options),
    jekyll: () => createJekyllPages({ clock, open: options.open }),
  }
  const publications = createPublications({ ...options, undraft: createUndraft(kind, options) })
  return {
    kind,
    open,
    pages: createPages(makers[kind](), create),
    publications,
    schedules: createSchedules({ ...options, publications, open, personOf }),
    previews: createSitePreviews(options),
  }
}
