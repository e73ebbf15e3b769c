import type { FastifyRequest } from 'fastify'

/**
 * Whether a request comes from a page of this site, or from no page. Browsers send the origin of the page that opens a
 * WebSocket (RFC 6455 §10.2). Its host must be the requested host, as reported by trusted proxies.
 */
export function isOwnOrigin({ headers: { origin }, host }: FastifyRequest): boolean {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const from = new URL(origin)
  // Parsed with the scheme of the page, so that the default port matches whether it is written or not.
  const requested = `${from.protocol}//${host}`
  return URL.canParse(requested) && from.host !== '' && new URL(requested).host === from.host
}
