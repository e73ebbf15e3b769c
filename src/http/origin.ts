import type { FastifyRequest } from 'fastify'

/**
 * Whether a request comes from our own page, or from no page at all: browsers name the origin of the page that opens a
 * socket (RFC 6455 §10.2), and it must be the host that was asked, as our proxies tell it.
 */
export function isOwnOrigin({ headers: { origin }, host }: FastifyRequest): boolean {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const from = new URL(origin)
  // Read with the scheme of the page, so that the usual port counts the same written and left out.
  const asked = `${from.protocol}//${host}`
  return URL.canParse(asked) && from.host !== '' && new URL(asked).host === from.host
}
