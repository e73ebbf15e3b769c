import { page } from '#web/shared/page.ts'
import { decodePath, pageOf } from '#web/shared/paths.ts'

/** Where a link leads. */
export interface Target {
  /** Of the web; or, when it is ours, of a page of the product, without the base path. */
  address: string
  isOurs: boolean
}

// A list of what is let through: whatever else there is or will be, `javascript:` and `data:` among it, is not.
const allowed = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * Where a link of a text in `folder` (decoded, closing slash) leads; undefined when it may lead nowhere. Where the instance
 * disables external links, nothing leads out of it.
 */
export function targetOf(written: string, folder: string | undefined): Target | undefined {
  const path = pathOf(written, folder)
  if (path !== undefined) return { address: pageOf(path), isOurs: true }
  const url = absolute(written)
  if (!url || !allowed.has(url.protocol)) return undefined
  if (page.DisableExternal && url.origin !== location.origin) return undefined
  return { address: url.href, isOurs: false }
}

/**
 * The resource that a relative link in `folder` means, decoded: `../a%20b.png` is a file of the folder above. Undefined for
 * links that have an address of their own, for places in the text itself, for what cannot be decoded, and without a folder.
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

/** The words in a piece of HTML, without its tags and comments. Nothing reads it as HTML, so nothing in it runs or loads. */
export function plainText(html: string): string {
  if (/^\s*<(script|style|template|noscript)\b/i.test(html)) return ''
  return unescaped(html.replace(/<!--[\s\S]*?-->|<[^<>]*>/g, ' ')).trim()
}

/** Whether a tag asks for a new line. */
export function isLineBreak(tag: string): boolean {
  return /^<br\s*\/?>$/i.test(tag)
}

/** Text with its character references read: `&copy;` is ©. */
export function unescaped(text: string): string {
  if (!/&[#\w]+;/.test(text)) return text
  // Without a letter in front the parser would drop leading spaces.
  const { body } = new DOMParser().parseFromString(`x${text.replaceAll('<', '&lt;')}`, 'text/html')
  return body.textContent.slice(1)
}

function absolute(written: string): URL | undefined {
  // Browsers forgive tabs, line ends and leading spaces in a scheme: the same parser decides here.
  return URL.canParse(written) ? new URL(written) : undefined
}
