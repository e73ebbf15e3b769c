import { posix } from 'node:path'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { normalizePath, type UserPath } from '#src/files/paths/user-path.ts'
import { isContentName, type Website } from '#src/site/website/website.ts'

/** A new page: its kind, and its title or its file. */
export interface NewPage {
  kind: string
  title: string
  /** Folder below the content folder. Undefined: the folder of the kind. */
  folder?: string | undefined
  /** The whole path in the scope, for clients that choose the file. */
  path?: UserPath | undefined
}

/** A file of a new page, by its path in the scope. */
export interface PageFile {
  path: UserPath
  bytes: Buffer
}

/** Makes pages as one generator does. */
export interface PageMaker {
  /** The kinds of new pages that the site offers. */
  kindsOf(person: Principal, site: Website): Promise<string[]>
  /** Makes the files of a page, and stores none of them. The first content file is the page. */
  make(person: Principal, site: Website, page: NewPage): Promise<PageFile[]>
}

/**
 * Creates posts and pages from the archetypes of the site.
 *
 * @param store creates a file; refuses an existing one
 */
export function createPages(
  maker: PageMaker,
  store: (person: Principal, path: UserPath, bytes: Buffer) => Promise<unknown>,
) {
  return {
    kindsOf: maker.kindsOf,

    /**
     * Creates a page, like any other file: with the permissions and rules of the person and the commands bound to uploads.
     *
     * @returns the path of the page
     * @throws Problem `site.archetype`, `site.failed`, `path.exists`, `auth.forbidden`, and the problems of the path.
     */
    async create(person: Principal, site: Website, page: NewPage): Promise<UserPath> {
      if (!(await maker.kindsOf(person, site)).includes(page.kind)) {
        throw new Problem('site.archetype', { reason: `the site has no archetype ${page.kind}` })
      }
      const files = await maker.make(person, site, page)
      const [main = files[0]] = files.filter(({ path }) => isContentName(path))
      if (!main) throw new Problem('site.archetype', { reason: `the archetype ${page.kind} has no file` })
      for (const { path, bytes } of files) await store(person, path, bytes)
      return main.path
    },
  }
}

/** Joins a folder of the scope and a relative path, which cannot leave the folder. @throws Problem `path.invalid`. */
export function pathWithin(base: UserPath, path: string): UserPath {
  const { path: inside } = normalizePath(`/${path}`)
  return posix.join(base, inside) as UserPath
}
