import type { SiteView } from '#contract/publish.ts'
import { dayOf } from './local-time.ts'

/**
 * The path below the website that the server will choose for a new page, as a hint. Empty if the title has no letter
 * and no digit.
 */
export function fileNameOf(title: string, { generator }: Pick<SiteView, 'generator'>, kind: string): string {
  const slug = slugOf(title)
  if (!slug) return ''
  const name = `${slug}.md`
  if (generator === 'hugo') return kind === 'default' ? `content/${name}` : `content/${kind}/${name}`
  const known = new Map([
    ['post', `_posts/${dayOf(new Date())}-${name}`],
    ['draft', `_drafts/${name}`],
    ['page', name],
  ])
  return known.get(kind) ?? `_${kind}/${name}`
}

/** Small letters, digits and hyphens, without accents, by the rules of the server. */
function slugOf(title: string): string {
  const plain = title
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'o')
  const words = plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return words.join('-').slice(0, 120)
}
