import { posix } from 'node:path'
import type { FrontMatterField, SiteGenerator } from '#contract/publish.ts'
import type { FileModes } from '#src/access/modes.ts'
import type { Principal } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import type { OpenFile } from '#src/entries/open.ts'
import { sourceOf, type Upload } from '#src/entries/write.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { type Located, locate, requireStats } from '#src/files/jail/locate.ts'
import { lstat } from '#src/files/paths/disk.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import { nameOf, parentOf, type UserPath } from '#src/files/paths/user-path.ts'
import { readRest } from '#src/files/reading/read-text.ts'
import { makeFolder } from '#src/files/writing/make.ts'
import { renameToFreeName } from '#src/files/writing/target.ts'
import { dateOf } from '#src/site/front-matter/field.ts'
import type { FrontMatterReader } from '#src/site/front-matter/front-matter-reader.ts'
import { recheckPublishing } from '#src/site/website/site.policy.ts'
import { isContentName, type Website } from '#src/site/website/website.ts'

/** A post or page that is larger is not changed. */
export const maxContentBytes = 10 * 1024 * 1024

/** What changing a content file needs. */
export interface ContentTools {
  clock: Clock
  modes: () => FileModes
  frontMatter: FrontMatterReader
  open(person: Principal, path: UserPath): Promise<OpenFile>
  /** Saves a file without commands bound to saving. */
  save(person: Principal, path: UserPath, upload: Upload): Promise<unknown>
}

/** A file that was marked as published. */
export interface Undrafted {
  /** Its path afterwards. */
  path: UserPath
  /** Puts the file back as it was, byte by byte, unless another program or user has changed it since. */
  putBack(): Promise<void>
}

/** Creates the function that removes the draft mark of a file and moves it out of Jekyll's drafts. */
export function createUndraft(kind: SiteGenerator, tools: ContentTools) {
  /** Removes the draft mark. @returns the content before and after */
  async function unmark(person: Principal, path: UserPath): Promise<{ before: Buffer; after: Buffer }> {
    const { bytes: before, mtimeMs } = await readContent(tools, person, path)
    const text = decode(before)
    const next = await tools.frontMatter.publish(person, text)
    if (next === text) return { before, after: before }
    const after = Buffer.from(next)
    await write(tools, person, { path, bytes: after, mtimeMs })
    return { before, after }
  }

  /** Gives a file a free name, in a folder that is made if it is missing. */
  async function move(
    person: Principal,
    { jail }: Website,
    { from: path, to }: { from: UserPath; to: UserPath },
  ): Promise<void> {
    const { dirMode } = tools.modes()
    const { change } = person
    await (await makeFolder(jail, parentOf(to), { mode: dirMode, change })).close()
    await using from = await locate(jail, path)
    await using target = await locate(jail, to)
    const entry = identityOf(requireStats(from))
    if (target.stats) throw new Problem('path.exists', { path: to })
    const [step] = await change.plan({ do: 'move', path: realOf(from), to: realOf(target), entry })
    try {
      await renameToFreeName(from.address, target)
      await step.done({ stats: await lstat(target.address) })
    } catch (error) {
      await step.cancel()
      throw error
    }
  }

  /**
   * Moves `_drafts/x.md` to `_posts/2026-12-01-x.md`, with the date of the front matter or of today.
   *
   * @returns the path of the file afterwards
   */
  async function moveDraft(
    person: Principal,
    site: Website,
    { path, text }: { path: UserPath; text: string },
  ): Promise<UserPath> {
    const { fields } = await tools.frontMatter.read(person, text)
    const to = postPath(path, fields, tools.clock())
    if (!to) return path
    recheckPublishing(person, path)()
    recheckPublishing(person, to)()
    await move(person, site, { from: path, to })
    return to
  }

  /**
   * Marks a content file as published. Other files stay as they are.
   *
   * @throws Problem `path.folder`, `frontmatter.invalid`, `path.exists`, `path.changed`.
   */
  return async (person: Principal, site: Website, path: UserPath): Promise<Undrafted> => {
    if (!isContentName(nameOf(path))) {
      await using held = await openPath(site.jail, path)
      if (held.stats.isDirectory()) throw new Problem('path.folder', { path })
      return { path, putBack: async () => {} }
    }
    const { before, after } = await unmark(person, path)
    const putBackFrom = async (at: UserPath) => {
      const { bytes, mtimeMs } = await readContent(tools, person, at)
      if (!bytes.equals(after)) return
      if (at !== path) await move(person, site, { from: at, to: path })
      if (!before.equals(after)) await write(tools, person, { path, bytes: before, mtimeMs })
    }
    if (kind !== 'jekyll') return { path, putBack: () => putBackFrom(path) }
    const to = await moveDraft(person, site, { path, text: after.toString() }).catch(
      async (error: unknown) => {
        // For example, the name of the post is taken. The mark was removed already.
        await putBackFrom(path)
        throw error
      },
    )
    return { path: to, putBack: () => putBackFrom(to) }
  }
}

/** Writes a post or page. @throws Problem `path.changed` unless it has this time. */
async function write(
  { save }: Pick<ContentTools, 'save'>,
  person: Principal,
  { path, bytes, mtimeMs }: { path: UserPath; bytes: Buffer; mtimeMs: number },
): Promise<void> {
  await save(person, path, {
    precondition: (current) => {
      if (current?.mtimeMs !== mtimeMs) throw new Problem('path.changed', { path })
    },
    source: sourceOf(bytes),
    signal: new AbortController().signal,
  })
}

/** Reads a post or page. @throws Problem `path.large`, `path.folder`. */
export async function readContent(
  { open }: Pick<ContentTools, 'open'>,
  person: Principal,
  path: UserPath,
): Promise<{ bytes: Buffer; mtimeMs: number }> {
  const { file, stats } = await open(person, path)
  try {
    if (stats.size > maxContentBytes)
      throw new Problem('frontmatter.invalid', { reason: 'the file is too large' })
    return { bytes: await readRest(file, Buffer.alloc(stats.size), 0), mtimeMs: stats.mtimeMs }
  } finally {
    await file.close()
  }
}

/** @throws Problem `frontmatter.invalid` unless the bytes are UTF-8. A byte order mark stays. */
export function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new Problem(
      'frontmatter.invalid',
      { reason: 'the file is not UTF-8 text' },
      { cause: error as Error },
    )
  }
}

function realOf({ folder, name }: Located): string {
  return posix.join(folder.real, name)
}

/** Where Jekyll expects a published draft; undefined: the file is not a draft. */
function postPath(path: UserPath, fields: readonly FrontMatterField[], now: number): UserPath | undefined {
  const names = path.split('/')
  const at = names.lastIndexOf('_drafts')
  if (at < 0 || at === names.length - 1) return undefined
  const name = names.at(-1) ?? ''
  const dated = /^\d{4}-\d{2}-\d{2}-/.test(name) ? name : `${dayOf(fields, now)}-${name}`
  return [...names.slice(0, at), '_posts', ...names.slice(at + 1, -1), dated].join('/') as UserPath
}

/** The day of a post: that of its front matter, or today in the time zone of the server. */
function dayOf(fields: readonly FrontMatterField[], now: number): string {
  const written = fields.find(({ name }) => name === 'date')?.value
  if (typeof written === 'string' && dateOf(written) !== undefined) return written.slice(0, 10)
  const day = new Date(now)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}
