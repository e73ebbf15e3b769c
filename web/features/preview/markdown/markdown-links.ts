import { page } from '#web/shared/page.ts'
import { decodePath, pageOf } from '#web/shared/paths.ts'

/** The target of a link. */
export interface LinkTarget {
  /** The address of a website, or a page of the product without the base path if `isOurs` is set. */
  address: string
  isOurs: boolean
}

// An allowlist. All other schemes are refused, such as `javascript:` and `data:`.
const allowed = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * The target of a link in a text in `folder` (decoded, closing slash); undefined for a forbidden or invalid link. If
 * the instance disables external links, links to other sites are forbidden.
 */
export function linkTargetOf(written: string, folder: string | undefined): LinkTarget | undefined {
  const path = pathOf(written, folder)
  if (path !== undefined) return { address: pageOf(path), isOurs: true }
  const url = absolute(written)
  if (!url || !allowed.has(url.protocol)) return undefined
  if (page.DisableExternal && url.origin !== location.origin) return undefined
  return { address: url.href, isOurs: false }
}

/**
 * The decoded path of a relative link in `folder`: `../a%20b.png` is a file in the parent folder. Undefined for
 * absolute links, for anchors in the text, for links that cannot be decoded, and without a folder.
 */
export function pathOf(written: string, folder: string | undefined): string | undefined {
  if (folder === undefined || absolute(written) || /^[#?]|^[/\\]{2}/.test(written)) return undefined
  const [bare = ''] = written.split(/[?#]/)
  const decoded = decodePath(bare)
  if (!decoded) return undefined
  return normal(decoded.startsWith('/') ? decoded : folder + decoded)
}

function normal(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}${parts.length > 0 && path.endsWith('/') ? '/' : ''}`
}

/** The text of an HTML fragment without tags and comments. Never parses it as HTML, so nothing in it runs or loads. */
export function plainText(html: string): string {
  if (/^\s*<(script|style|template|noscript)\b/i.test(html)) return ''
  return decodeCharacterReferences(html.replace(/<!--[\s\S]*?-->|<[^<>]*>/g, ' ')).trim()
}

/** Whether a tag is a line break. */
export function isLineBreak(tag: string): boolean {
  return /^<br\s*\/?>$/i.test(tag)
}

/** Decodes character references: `&copy;` becomes ©. */
export function decodeCharacterReferences(text: string): string {
  if (!/&[#\w]+;/.test(text)) return text
  // The leading letter keeps leading spaces, which the parser would drop.
  const { body } = new DOMParser().parseFromString(`x${text.replaceAll('<', '&lt;')}`, 'text/html')
  return body.textContent.slice(1)
}

function absolute(written: string): URL | undefined {
  // Browsers ignore tabs, line ends and leading spaces in a scheme. The same parser decides here.
  return URL.canParse(written) ? new URL(written) : undefined
}
