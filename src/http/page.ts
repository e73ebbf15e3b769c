import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageSettings } from '#contract/system.ts'
import type { Asset, Assets } from './assets.ts'
import type { App } from './at.ts'
import { refuseUnknown } from './failures.ts'
import { pagePolicy } from './headers.ts'

/** Serves the page, its files, and the last word on addresses that nothing else answers. */
export function servePage(app: App, assets: Assets, settings: () => PageSettings): void {
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?')
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (path.startsWith('/static/')) {
      const asset = isRead ? assets.find(path.slice('/static/'.length)) : undefined
      return asset ? sendAsset(request, reply, asset) : refuseUnknown(request, reply)
    }
    if (!isRead || path === '/api' || path.startsWith('/api/')) return refuseUnknown(request, reply)
    // Every other address belongs to the page, which knows what to show there (reference 1).
    return reply
      .headers({ 'content-security-policy': pagePolicy, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(render(assets.page, settings()))
  })
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const { body, coding } = encoded(asset, request.headers['accept-encoding'] ?? '')
  // RFC 9110 §8.8.3.3: each coding is a state of its own.
  const etag = coding ? asset.etag.replace(/"$/, `-${coding}"`) : asset.etag
  reply.headers({
    etag,
    vary: 'accept-encoding',
    'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    ...(coding && { 'content-encoding': coding }),
  })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type(asset.type).send(body)
}

function encoded({ body, brotli, gzip }: Asset, accepted: string): { body: Buffer; coding?: string } {
  const accepts = (coding: string) =>
    new RegExp(`(^|[,\\s])${coding}(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted)
  if (brotli && accepts('br')) return { body: brotli, coding: 'br' }
  if (gzip && accepts('gzip')) return { body: gzip, coding: 'gzip' }
  return { body }
}

/** Fills the page's placeholders. */
export function render(page: string, settings: PageSettings): string {
  const values: Record<string, string> = {
    STATIC: escaped(settings.StaticURL),
    TITLE: escaped(settings.Name || 'Coffer'),
    THEME: settings.Theme,
    // Inside a script element only `<` could end it or begin a comment; JSON can say it otherwise.
    SETTINGS: JSON.stringify(settings).replaceAll('<', '\\u003c'),
  }
  return page.replace(/%([A-Z]+)%/g, (whole, key: string) => values[key] ?? whole)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}
