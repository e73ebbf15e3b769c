import type { FileHandle } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Principal } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import { createRunAgain } from '#src/core/concurrency/keyed-lock.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { openHostFolder, openPath } from '#src/files/jail/jail.ts'
import { mkdir, open, realpath, rename, rm } from '#src/files/paths/disk.ts'
import { childOf, isWithin, type UserPath } from '#src/files/paths/user-path.ts'
import { realPublic, sourceStamp } from './source-stamp.ts'
import type { Generator } from './website/generator.ts'
import { mayPublish } from './website/site.policy.ts'
import { requireWhole, type Website } from './website/website.ts'

/** One preview: the site with drafts and future posts, as one user has opened it. */
interface Preview {
  id: string
  userId: number
  person: Principal
  site: Website
  /** The folder with the generated files. */
  folder: string
  /** Counts the changes of the site, and the change that was built last. */
  changes: number
  built: number
  /** The state of the files that was built last. */
  stamp?: string
  used: number
  /** The rules with which the user may see all of the site. */
  checked?: Principal['rules']
}

/** A file of a preview. The caller closes it. */
export interface PreviewFile {
  file: FileHandle
  name: string
  size: number
  /** The state of the site that it was built from. */
  version: number
}

const idleMs = 60 * 60_000
const sweepEveryMs = 60_000
// Older previews of the same instance end when there are more.
const mostPreviews = 20

/** The path of a preview in a URL, without a slash at the end. */
export function previewAddress(baseUrl: string, id: string): string {
  return `${baseUrl}/api/site/preview/${id}`
}

interface PreviewOptions {
  generator: Generator
  cacheFolder: string
  /** Path of the instance, without a slash at the end. */
  baseUrl: string
  clock: Clock
  /** Aborts when the server closes. */
  signal: AbortSignal
}

/**
 * Builds previews into the cache folder. The id in the address is a ticket: it gives access to the preview until the
 * session that opened the preview ends or loses the permission to publish.
 */
export function createSitePreviews(options: PreviewOptions) {
  const { clock } = options
  const top = posix.join(options.cacheFolder, 'site-previews')
  const previews = new Map<string, Preview>()
  const runAgain = createRunAgain<void>()
  const lookAgain = createRunAgain<void>()
  const timer = setInterval(() => void sweep(), sweepEveryMs).unref()
  // Previews of an earlier process have lost their ids.
  const ready = rm(top, { recursive: true, force: true }).then(() =>
    mkdir(top, { recursive: true, mode: 0o700 }),
  )
  ready.catch(() => {}) // reported by the first preview

  async function sweep(): Promise<void> {
    for (const one of previews.values()) if (clock() - one.used > idleMs || !isAllowed(one)) await end(one)
  }

  async function end({ id, folder }: Preview): Promise<void> {
    previews.delete(id)
    await rm(folder, { recursive: true, force: true }).catch(() => {}) // the next start removes it
  }

  /** Builds the preview if the site has changed since the last build. Requests that wait share one run. */
  const build = async (preview: Preview) => {
    if (preview.built === preview.changes) return
    await ready
    await runAgain(preview.id, () => buildPreview(options, preview))
  }

  function find(id: string): Preview {
    const preview = previews.get(id)
    if (!preview || clock() - preview.used > idleMs || !isAllowed(preview)) throw new Problem('site.preview')
    return preview
  }

  return {
    /** Builds a preview for a user, or uses the one that the user has. @returns its id. @throws Problem `site.failed`. */
    async open(person: Principal, site: Website): Promise<string> {
      const own = [...previews.values()].find(
        (one) => one.userId === person.user.id && one.site.real === site.real && isAllowed(one),
      )
      const id = own?.id ?? randomId()
      const folder = posix.join(top, id)
      const preview = own ?? {
        id,
        userId: person.user.id,
        person,
        site,
        folder,
        changes: 0,
        built: 0,
        used: 0,
      }
      // The site may have changed outside of Coffer, so it is built again.
      Object.assign(preview, { used: clock(), person, site, changes: preview.changes + 1 })
      await checkRules(preview)
      previews.set(id, preview)
      if (previews.size > mostPreviews)
        await end([...previews.values()].toSorted((a, b) => a.used - b.used)[0] ?? preview)
      await build(preview)
      return id
    },

    /**
     * Opens a file of a preview; for a folder its `index.html`. Builds it again before if the site has changed, for a page
     * also if another program has changed it.
     *
     * @throws Problem `site.preview`, `path.unknown`, `site.failed`.
     */
    async file(id: string, path: UserPath): Promise<PreviewFile> {
      const preview = find(id)
      preview.used = clock()
      await checkRules(preview)
      // Requests that wait share one look at the files.
      if (isPage(path)) await lookAgain(id, () => noteOtherChanges(preview))
      await build(preview)
      return { ...(await openFileIn(preview.folder, path)), version: preview.built }
    },

    /** The number of the current state of the site, which the page compares to reload itself. */
    version: (id: string): number => find(id).changes,

    /** Notes a change of files, so that previews of their site are built again. */
    onChanged(reals: readonly string[]): void {
      for (const one of previews.values()) {
        const output = realPublic(one.site)
        if (reals.some((real) => isWithin(real, one.site.real) && !isWithin(real, output))) one.changes++
      }
    },

    sweep,
    close: () => clearInterval(timer),
  }
}

/** Notes a change of the site by another program. */
async function noteOtherChanges(preview: Preview): Promise<void> {
  const { stamp, site } = preview
  // What will be built anyway, or is built now, has another stamp afterwards.
  if (stamp === undefined || preview.built !== preview.changes) return
  if ((await sourceStamp(site)) !== stamp && preview.stamp === stamp) preview.changes++
}

/** Checks after each change of the rules that they hide nothing in the site from the user. */
async function checkRules(preview: Preview): Promise<void> {
  const { person, site } = preview
  if (preview.checked === person.rules) return
  const { rules } = person
  await requireWhole(site, person)
  preview.checked = rules
}

async function buildPreview({ generator, baseUrl, signal }: PreviewOptions, preview: Preview): Promise<void> {
  const { changes, site, folder, id, person } = preview
  if (preview.built === changes) return
  await requireWhole(site, person)
  // Before the run: what changes during it is seen later.
  const stamp = await sourceStamp(site)
  const next = `${folder}.next`
  await rm(next, { recursive: true, force: true })
  await mkdir(next, { mode: 0o700 })
  const output = await realpath(next)
  const address = previewAddress(baseUrl, id)
  const flags = {
    hugo: ['-D', '-F', '--baseURL', `${address}/`],
    jekyll: ['--drafts', '--future', '--unpublished', '--baseurl', address],
  }
  const args = ['--source', site.real, '--destination', output, ...flags[generator.kind]]
  const task = { site: site.settings, root: site.real, output, args, isBuild: true, signal }
  const result = await generator.run(task)
  if (!result.isOk) throw new Problem('site.failed', { generator: generator.kind, output: result.output })
  await rm(folder, { recursive: true, force: true })
  await rename(next, folder)
  Object.assign(preview, { built: changes, stamp })
}

/** Whether a browser shows this file as a page: then a reload shows what other programs have changed. */
function isPage(path: UserPath): boolean {
  return /(?:^|\/)[^./]*$|\.html?$/i.test(path)
}

/** Opens a generated file. Through a jail: the generated files may contain links to anywhere. */
async function openFileIn(folder: string, path: UserPath): Promise<Omit<PreviewFile, 'version'>> {
  const jail = await openHostFolder(folder, { allows: () => true, secret: [] })
  await using held = await openPath(jail, path)
  // `await` keeps the entry open until the file is open.
  if (!held.stats.isDirectory()) return await openRegular(held)
  await using index = await openPath(jail, childOf(path, 'index.html'))
  return await openRegular(index)
}

/** Whether the session still lasts, may publish, and reaches the site. */
function isAllowed({ person, site }: Preview): boolean {
  try {
    return mayPublish(person.user.perm) && person.hasAccess([site.root])
  } catch {
    return false
  }
}

async function openRegular(held: {
  address: string
  asked: UserPath
  stats: { isFile(): boolean; size: number }
}): Promise<Omit<PreviewFile, 'version'>> {
  if (!held.stats.isFile()) throw new Problem('path.special', { path: held.asked })
  return { file: await open(held.address), name: posix.basename(held.asked), size: held.stats.size }
}
