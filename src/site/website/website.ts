import { posix } from 'node:path'
import type { SiteGenerator, StaticGen } from '#contract/publish.ts'
import type { Principal } from '#src/access/principal.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { foldPath } from '#src/core/text/fold.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { exists } from '#src/files/jail/locate.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { childOf, isWithin, normalizePath, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { isAllAllowed } from '#src/files/tree-walk/all-allowed.ts'
import { siteSettingsOf } from '#src/settings/site-settings.ts'
import type { Store } from '#src/state/store.ts'
import { authorizePublishing } from './site.policy.ts'

/** The website as one user sees it. Paths are in the scope of the user. */
export interface Website {
  settings: StaticGen
  jail: Jail
  root: UserPath
  /** Real path of `root`. */
  real: string
  public: UserPath
  /** The folders with posts and pages. */
  content: readonly UserPath[]
  /** Converts a path of the scope to one of the served folder. */
  toServed(path: UserPath): UserPath
  /** Converts a path of the served folder. Undefined: it is not in the website, or rules hide it from the user. */
  toShown(path: UserPath): UserPath | undefined
}

/**
 * Opens the website for a user who may publish it. The rules of the user apply to its folder.
 *
 * @throws Problem `auth.forbidden` without the permission, or when the scope does not contain the website;
 *   `site.setting` when its folder is missing.
 */
export async function openWebsite(kind: SiteGenerator, store: Store, person: Principal): Promise<Website> {
  authorizePublishing(person)
  const settings = siteSettingsOf(kind, (await store.settings.get()).staticGen)
  const scope = normalizePath(person.user.scope).path
  const served = settings.Root as UserPath
  if (!isWithin(served, scope)) throw new Problem('auth.forbidden')
  const toScope = (path: UserPath) =>
    (scope === rootPath ? path : path.slice(scope.length) || rootPath) as UserPath
  const root = toScope(served)
  const jail = await person.jail()
  await using folder = await openPath(jail, root).catch(asSetting)
  if (!folder.stats.isDirectory()) throw new Problem('site.setting', { reason: 'its root is not a folder' })
  return {
    settings,
    jail,
    root,
    real: folder.real,
    public: toScope(settings.Public as UserPath),
    content: contentFolders(kind, root),
    toServed: (path) => posix.join(scope, path) as UserPath,
    toShown: (path) => {
      const own = isWithin(path, served) ? toScope(path) : undefined
      return own !== undefined && jail.allows(own, true) ? own : undefined
    },
  }
}

function asSetting(error: unknown): never {
  const isMissing = error instanceof Problem && error.code === 'path.unknown'
  throw isMissing
    ? new Problem('site.setting', { reason: 'its root does not exist' }, { cause: error })
    : error
}

/** Hugo keeps content in `content`, Jekyll anywhere. */
function contentFolders(kind: SiteGenerator, root: UserPath): UserPath[] {
  return [kind === 'hugo' ? childOf(root, 'content') : root]
}

const contentName = /\.(md|markdown|mdown|mkd|adoc|asciidoc|ad|rst|html|htm)$/i

/** Whether a file is a post or a page, which may have front matter. */
export function isContentName(name: string): boolean {
  return contentName.test(name)
}

/** @throws Problem `site.outside` unless `path` is in the website, and not in its public folder. */
export function requireInside({ root, public: output }: Website, path: UserPath): void {
  if (!isWithin(path, root) || isWithin(path, output)) throw new Problem('site.outside', { path })
}

const configNames: Record<SiteGenerator, readonly string[]> = {
  hugo: [
    ...['hugo', 'config'].flatMap((name) => ['toml', 'yaml', 'yml', 'json'].map((end) => `${name}.${end}`)),
  ],
  jekyll: ['_config.yml', '_config.yaml', '_config.toml'],
}

/** The configuration file of the site; undefined: it has none. */
export async function configOf(kind: SiteGenerator, { jail, root }: Website): Promise<UserPath | undefined> {
  for (const name of configNames[kind]) {
    const path = childOf(root, name)
    if (await exists(jail, path).catch(() => false)) return path
  }
  return undefined
}

/**
 * The path of a new page that a client names: as it is if it is in the website, otherwise relative to the folder of its
 * kind.
 */
export function pathInContent({ content, root }: Website, path: UserPath, kind: string): UserPath {
  if (root !== rootPath && isWithin(path, root)) return path
  const folders: Record<string, string> = { post: '_posts', draft: '_drafts', page: '' }
  const [own = root] = content
  const base = own === root ? (posix.join(root, entryOf(folders, kind) ?? `_${kind}`) as UserPath) : own
  return isWithin(path, base) ? path : (posix.join(base, path) as UserPath)
}

/**
 * Refuses to run the generator for a user from whom something in the website is hidden: the generator reads all of it, so
 * the result would show it.
 *
 * @throws Problem `site.setting` when a rule or a file of Coffer is in the website.
 */
export async function requireWhole(site: Website, person: Principal): Promise<void> {
  if (await isShownWhole(site, person)) return
  throw new Problem('site.setting', {
    reason: 'a rule or a file of Coffer hides a part of the website from you',
  })
}

/** Looks only below the root of the site: rules for other folders of the user do not matter. */
async function isShownWhole({ jail, real, root }: Website, { rules }: Principal): Promise<boolean> {
  if (jail.secret.some((path) => isWithin(path, real))) return false
  const prefix = foldPath(root)
  const mayDeny = rules.some(
    ({ allow, regex, base, path }) =>
      !allow && (regex || base !== undefined || isWithin(foldPath(posix.normalize(path)), prefix)),
  )
  return !mayDeny || isAllAllowed(real, root, (path, folds) => jail.allows(path as UserPath, folds))
}
