import { useEffect } from 'react'
import { proxy, useSnapshot } from 'valtio'
import type { SiteView } from '#contract/publish.ts'
import { api, type FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { page, pageChanges } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'

/** The website of the signed-in user. */
export const siteState = proxy({
  /** Undefined until it is loaded, and for users who do not publish it. */
  site: undefined as SiteView | undefined,
  failure: undefined as FailureCode | undefined,
  /** A run of the generator for the whole website. */
  isPublishing: false,
})

/** The user and the settings that `siteState` belongs to. */
let loadedFor = ''

/** The website; undefined if the user does not publish it. Loaded once per user, and after a change of the settings. */
export function useSite(): SiteView | undefined {
  const { user } = useSnapshot(session)
  const { changes } = useSnapshot(pageChanges)
  const { site } = useSnapshot(siteState)
  const mayPublish = page.StaticGen !== '' && Boolean(user?.perm.admin || user?.perm.publish)
  const key = `${user?.id} ${changes}`
  useEffect(() => {
    if (mayPublish && loadedFor !== key) void loadSite(key)
  }, [mayPublish, key])
  // A snapshot has the same content, but is read-only.
  return mayPublish && isSameUser(key) ? (site as SiteView | undefined) : undefined
}

function isSameUser(key: string): boolean {
  return loadedFor.split(' ')[0] === key.split(' ')[0]
}

async function loadSite(key: string): Promise<void> {
  if (!isSameUser(key)) Object.assign(siteState, { site: undefined, failure: undefined })
  loadedFor = key
  try {
    const site = await api('GET /api/site')
    if (loadedFor === key) Object.assign(siteState, { site, failure: undefined })
  } catch (error) {
    if (loadedFor === key) Object.assign(siteState, { site: undefined, failure: codeOf(error) })
  }
}

/** Loads the website again, because its archetypes or its configuration file may have changed. */
export async function refreshSite(): Promise<void> {
  const key = loadedFor
  const site = await api('GET /api/site').catch(() => undefined)
  if (site && loadedFor === key) siteState.site = site
}

// Jekyll keeps pages anywhere, but not in these folders.
const otherSources = /\/_(?:data|includes|layouts|plugins|sass)\//

/** Whether `path` is a folder with posts and pages: in a content folder, and not in the public directory. */
export function isContentFolder({ content, public: output }: SiteView, path: string): boolean {
  const folder = `${path}/`.replace(/\/+$/, '/')
  const isIn = (other: string) => folder.startsWith(`${other}/`.replace(/\/+$/, '/'))
  return content.some(isIn) && !isIn(output) && !otherSources.test(folder)
}

/** Whether `path` is a post or a page. */
export function isContentFile(site: SiteView, path: string): boolean {
  return /\.(md|markdown|mdown|adoc|asciidoc|rst|html)$/i.test(path) && isContentFolder(site, path)
}
