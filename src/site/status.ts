import { setImmediate } from 'node:timers/promises'
import type { FrontMatterField, FrontMatterView, PublishState, SiteGenerator } from '#contract/publish.ts'
import type { Clock } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import { openIn, openPath } from '#src/files/jail/jail.ts'
import { open } from '#src/files/paths/disk.ts'
import { readShownNames } from '#src/files/paths/read-folder.ts'
import { childOf, type UserPath } from '#src/files/paths/user-path.ts'
import { maxLength } from './front-matter/block.ts'
import { dateOf } from './front-matter/field.ts'
import { draftMarks } from './front-matter/front-matter.ts'
import type { ScheduleRecord } from './website/site-records.ts'
import { isContentName, requireInside, type Website } from './website/website.ts'

// A folder with more content files shows the status of the first ones.
const mostFiles = 5000
// Reading front matter takes processor time, so other requests get their turns, and the rest is left out in the end.
const mostMs = 3000
const atOnce = 8

/**
 * Returns the status of the posts and pages in a folder. Files whose front matter cannot be read are omitted.
 *
 * @throws Problem `site.outside`, `path.file`, and as `openPath` does.
 */
export async function statusIn(
  site: Website,
  path: UserPath,
  {
    kind,
    schedules,
    clock,
    hideDotfiles,
    read,
  }: {
    kind: SiteGenerator
    schedules: readonly ScheduleRecord[]
    clock: Clock
    hideDotfiles: boolean
    /** Reads the front matter of a text. */
    read: (text: string) => Promise<FrontMatterView>
  },
): Promise<PublishState[]> {
  requireInside(site, path)
  const { jail } = site
  await using folder = await openPath(jail, path)
  if (!folder.stats.isDirectory()) throw new Problem('path.file', { path })
  const allows = (name: string) => jail.allows(childOf(folder.path, name), folder.folds)
  const names = (await readShownNames(folder.address, { secrets: [], hideDotfiles, allows })).filter(
    isContentName,
  )
  const times = new Map(schedules.map((one) => [one.path, one.at]))
  const isDraftFolder = /(?:^|\/)_drafts(?:\/|$)/.test(path)
  const states: PublishState[] = []
  const rest = names.slice(0, mostFiles)
  const began = performance.now()
  const viewOf = async (name: string) => {
    await using held = await openIn(jail, folder, name).catch(() => undefined)
    const head = held?.stats.isFile() ? await headOf(held.address) : undefined
    return head === undefined ? undefined : read(head).catch(undefinedIfInvalid)
  }
  const work = async () => {
    for (let name = rest.pop(); name !== undefined && performance.now() - began < mostMs; name = rest.pop()) {
      await setImmediate()
      const at = times.get(site.toServed(childOf(path, name)))
      if (at !== undefined) {
        states.push({ name, state: 'scheduled', at: new Date(at).toISOString() })
        continue
      }
      const view = await viewOf(name)
      if (view) states.push(stateOf(name, view, { isDraftFolder, now: clock(), kind }))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return states.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

// A character of UTF-8 takes up to four bytes, and at most three for each unit of UTF-16.
const headBytes = 3 * maxLength + 64

/** The beginning of a file, which contains its front matter. */
async function headOf(address: string): Promise<string | undefined> {
  try {
    await using file = await open(address)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return undefined // removed meanwhile, or not readable
  }
}

/** @throws every error but those of front matter that cannot be read. */
function undefinedIfInvalid(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'frontmatter.invalid')) throw error
}

function stateOf(
  name: string,
  { fields }: FrontMatterView,
  { isDraftFolder, now, kind }: { isDraftFolder: boolean; now: number; kind: SiteGenerator },
): PublishState {
  if (isDraftFolder || draftMarks(fields).length > 0) return { name, state: 'draft' }
  const date = dateIn(name, fields, kind)
  if (date !== undefined && date > now) return { name, state: 'future', at: new Date(date).toISOString() }
  return { name, state: 'published' }
}

/** When a file becomes visible. Jekyll takes the day from the name of a post, and reads times in the server's zone. */
function dateIn(name: string, fields: readonly FrontMatterField[], kind: SiteGenerator): number | undefined {
  const fieldOf = (wanted: string) => fields.find((one) => one.name.toLowerCase() === wanted)?.value
  const [day] = kind === 'jekyll' ? (/^\d{4}-\d{2}-\d{2}(?=-)/.exec(name) ?? []) : []
  const written = (kind === 'hugo' ? fieldOf('publishdate') : undefined) ?? fieldOf('date') ?? day
  return typeof written === 'string' ? dateOf(written, kind === 'jekyll') : undefined
}
