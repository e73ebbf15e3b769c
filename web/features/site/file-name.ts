import type { SiteView } from '#contract/publish.ts'
import { slugOf } from '#src/core/text/slug.ts'
import { dayOf } from './local-time.ts'

/**
 * The path below the website that the server will choose for a new page, as a hint. Empty without a title.
 *
 * @param place the kind of the page, and its folder below the folder for content; without a folder, that of the kind
 */
export function fileNameOf(
  title: string,
  { generator }: Pick<SiteView, 'generator'>,
  { kind, folder = folderOf({ generator }, kind) }: { kind: string; folder?: string },
): string {
  if (!title.trim()) return ''
  const slug = slugOf(title)
  const name = generator === 'jekyll' && kind === 'post' ? `${dayOf(new Date())}-${slug}.md` : `${slug}.md`
  return [generator === 'hugo' ? 'content' : '', folder, name].filter(Boolean).join('/')
}

/** The folder of a kind of pages, below the folder for content. Empty: that folder itself. */
export function folderOf({ generator }: Pick<SiteView, 'generator'>, kind: string): string {
  if (generator === 'hugo') return kind === 'default' ? '' : kind
  const known = new Map([
    ['post', '_posts'],
    ['draft', '_drafts'],
    ['page', ''],
  ])
  return known.get(kind) ?? `_${kind}`
}

/** A typed folder as the server takes it: without slashes and spaces around it. */
export function plainFolder(typed: string): string {
  return typed.replace(/^[\s/]+|[\s/]+$/g, '')
}

/**
 * The folder to propose for a new page while `shown` is open: this folder below the content of Hugo, where any folder is a
 * section. Undefined: that of the kind.
 */
export function proposedFolder({ generator, content }: SiteView, shown: string): string | undefined {
  const [base] = content
  if (generator !== 'hugo' || base === undefined || !shown.startsWith(`${base}/`)) return undefined
  return plainFolder(shown.slice(base.length)) || undefined
}
