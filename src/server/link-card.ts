import type { FastifyRequest } from 'fastify'
import { escapeHtml } from '#src/core/text/escape-html.ts'

/** What chats and social networks show of a share. */
export interface LinkCard {
  title: string
  /** Empty: none. */
  text: string
  hasPicture: boolean
}

/** The id of the share whose page a path is, without the base URL. Undefined: it is another page. */
export function shareOfPage(path: string): string | undefined {
  return /^\/share\/([^/%]+)(?:\/|$)/.exec(path)?.[1]
}

/** The Open Graph tags of a share (https://ogp.me). Only absolute addresses are allowed. */
export function cardTags(
  { title, text, hasPicture }: LinkCard,
  { hash, request, baseUrl, site }: { hash: string; request: FastifyRequest; baseUrl: string; site: string },
): string[] {
  const base = `${request.protocol}://${request.host}${baseUrl}`
  const tags = {
    'og:type': 'website',
    'og:site_name': site,
    'og:title': title,
    'og:url': `${base}/share/${hash}`,
    ...(text && { 'og:description': text }),
    ...(hasPicture && { 'og:image': `${base}/api/public/cover/${hash}` }),
  }
  return Object.entries(tags).map(
    ([name, content]) => `<meta property="${name}" content="${escapeHtml(content)}">`,
  )
}
