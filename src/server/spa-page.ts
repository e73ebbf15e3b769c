import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageSettings } from '#contract/system.ts'
import type { BrandingFile } from '#src/branding/branding.ts'
import { windowColors } from '#src/branding/manifest.ts'
import { entryOf } from '#src/core/lookup.ts'
import { networkOf } from '#src/core/network.ts'
import { escapeHtml } from '#src/core/text/escape-html.ts'
import type { App } from '#src/http/at.ts'
import { accepts, matchesEtag } from '#src/http/request-headers.ts'
import { requestCost } from './access.ts'
import type { Asset, Assets } from './assets.ts'
import { sendUnknownEndpoint } from './error-handler.ts'
import { docsPolicy, imagePolicy, pagePolicy } from './headers.ts'
import { cardTags, type LinkCard, shareOfPage } from './link-card.ts'

/** The settings of the page, and the files with which an administrator replaced ours. */
export interface InstanceInfo {
  settings(): Promise<PageSettings>
  /** The web manifest, to send as JSON. */
  manifest(): Promise<object>
  /** The file that replaces `/static/<path>`, percent-encoded; undefined: ours is used. */
  branded(path: string): Promise<BrandingFile | undefined>
}

/**
 * Serves the page and its files, and responds to all URLs that no other route handles. These requests need no
 * sign-in, and branding is read from the disk, so each request counts for the rate limit of its network. Only our own
 * files with a hash in their name, which branding never replaces, come from memory and are not counted.
 *
 * @param count counts a number of requests for a network. Throws Problem `request.limited`
 * @param cardOf what chats show of the share with this id. Undefined: nothing
 */
export function serveSpaPage(
  app: App,
  {
    assets,
    look,
    count,
    cardOf,
  }: {
    assets: Assets
    look: InstanceInfo
    count: (network: string, requests: number) => void
    cardOf(hash: string): LinkCard | undefined
  },
): void {
  app.setNotFoundHandler(async (request, reply) => {
    const [path = ''] = request.url.split('?')
    if (!isPageRead(request, path)) return sendUnknownEndpoint(request, reply)
    if (path === '/robots.txt') return sendRobots(reply)
    const name = staticName(path)
    const fixed = name === undefined ? undefined : assets.find(name)
    if (fixed?.immutable) return sendAsset(request, reply, fixed)
    count(networkOf(request.ip ?? ''), requestCost(path))
    if (name !== undefined) return sendStatic(request, reply, name)
    return sendPage(request, reply, path)
  })

  const compress = keepLast(compressed)

  // All other URLs belong to the page, which decides what to show (contract/compatibility.md#conventions).
  async function sendPage(request: FastifyRequest, reply: FastifyReply, path: string) {
    const settings = await look.settings()
    if (settings.Setup && path !== setupPage) return sendToSetup(reply, settings)
    const text = renderPage(assets.page, settings)
    const tags = tagsOf(request, path, settings)
    const page = tags === '' ? compress(text) : plain(text.replace('</head>', () => `${tags}\n  </head>`))
    const { body, coding } = encoded(page, request.headers['accept-encoding'] ?? '')
    return reply
      .headers({
        'content-security-policy': pagePolicy(settings.ReCaptchaHost),
        'cache-control': 'no-store',
        vary: 'accept-encoding',
        ...(coding && { 'content-encoding': coding }),
      })
      .type('text/html; charset=utf-8')
      .send(body)
  }

  /** The tags that only the page of a share has. */
  function tagsOf(request: FastifyRequest, path: string, { BaseURL, Name }: PageSettings): string {
    const hash = shareOfPage(path)
    const card = hash && cardOf(hash)
    if (!hash || !card) return ''
    return cardTags(card, { hash, request, baseUrl: BaseURL, site: Name || 'Coffer' }).join('\n    ')
  }

  async function sendStatic(request: FastifyRequest, reply: FastifyReply, name: string) {
    if (name === manifestName) return sendManifest(reply, await look.manifest())
    const brandedAsset = await look.branded(name)
    if (brandedAsset) return sendBranded(reply, brandedAsset)
    const asset = assets.find(name)
    return asset ? sendAsset(request, reply, asset) : sendUnknownEndpoint(request, reply)
  }
}

/** A text that is not compressed, because it is sent once. */
function plain(text: string): Pick<Asset, 'body' | 'brotli' | 'gzip'> {
  return { body: () => Buffer.from(text) }
}

/** The codings of a text. Nothing in the page is secret, so its compressed size tells an attacker nothing. */
function compressed(text: string): Pick<Asset, 'body' | 'brotli' | 'gzip'> {
  const body = Buffer.from(text)
  return { body: () => body, brotli: brotliCompressSync(body, quickBrotli), gzip: gzipSync(body) }
}

/** The slowest quality would delay the first visit, and save little. */
const quickBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Calls `make` again only for another input than the last one: the page changes when a setting changes. */
function keepLast<T>(make: (input: string) => T): (input: string) => T {
  let last: { input: string; result: T } | undefined
  return (input) => {
    if (last?.input !== input) last = { input, result: make(input) }
    return last.result
  }
}

function isPageRead({ method }: FastifyRequest, path: string): boolean {
  return ['GET', 'HEAD'].includes(method) && !/^\/api(\/|$)/.test(path)
}

/** The name of our file that a path requests; undefined: it is a URL of the page. */
function staticName(path: string): string | undefined {
  if (path === '/favicon.ico') return 'icon.svg'
  return path.startsWith('/static/') ? path.slice('/static/'.length) : undefined
}

/** Excludes crawlers from all URLs (RFC 9309): an instance and its shares are not public. */
function sendRobots(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'public, max-age=86400')
    .type('text/plain; charset=utf-8')
    .send('User-agent: *\nDisallow: /\n')
}

const setupPage = '/setup'

/** Until there is an administrator, every address leads to the set-up page. */
function sendToSetup(reply: FastifyReply, { BaseURL }: PageSettings): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(`${BaseURL}${setupPage}`, 302)
}

const manifestName = 'manifest.webmanifest'

/** Created for each request, because the branding of the instance may have changed. */
function sendManifest(reply: FastifyReply, manifest: object): FastifyReply {
  return reply
    .header('cache-control', 'public, no-cache')
    .type('application/manifest+json; charset=utf-8')
    .send(JSON.stringify(manifest))
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const { body, coding } = encoded(asset, request.headers['accept-encoding'] ?? '')
  // RFC 9110 §8.8.3.3: each content coding needs its own etag.
  const etag = coding ? asset.etag.replace(/"$/, `-${coding}"`) : asset.etag
  reply.headers({
    etag,
    vary: 'accept-encoding',
    'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    ...(coding && { 'content-encoding': coding }),
    ...policyOf(asset),
  })
  if (matchesEtag(request.headers['if-none-match'] ?? '', etag)) return reply.code(304).send()
  return reply.type(asset.type).send(body)
}

/**
 * Sends a file of the branding folder from the disk. The branding service has checked its real path, with links resolved, and
 * only administrators can write there.
 */
function sendBranded(reply: FastifyReply, file: BrandingFile): FastifyReply {
  return reply
    .headers({ 'cache-control': 'public, no-cache', ...policyOf(file) })
    .type(file.type)
    .sendFile(file.name, file.root, { cacheControl: false, contentType: false, dotfiles: 'allow' })
}

/** Other files keep the default policy of all responses. */
function policyOf({ type }: Pick<Asset, 'type'>): { 'content-security-policy'?: string } {
  if (type === 'image/svg+xml') return { 'content-security-policy': imagePolicy }
  return type.startsWith('text/html') ? { 'content-security-policy': docsPolicy } : {}
}

function encoded(
  { body, brotli, gzip }: Pick<Asset, 'body' | 'brotli' | 'gzip'>,
  accepted: string,
): { body: Buffer; coding?: string } {
  if (brotli && accepts(accepted, 'br')) return { body: brotli, coding: 'br' }
  if (gzip && accepts(accepted, 'gzip')) return { body: gzip, coding: 'gzip' }
  return { body: body() }
}

/** Fills in the placeholders of the page. */
export function renderPage(page: string, settings: PageSettings): string {
  const values: Record<string, string> = {
    STATIC: escapeHtml(settings.StaticURL),
    TITLE: escapeHtml(settings.Name || 'Coffer'),
    THEME: followsDevice(settings) ? '' : settings.Theme || 'light',
    SCHEME: followsDevice(settings) ? 'light dark' : settings.Theme || 'light',
    // Inside a script element only `<` could end it or begin a comment; JSON can escape it.
    SETTINGS: JSON.stringify(settings).replaceAll('<', '\\u003c'),
  }
  const filled = page.replace(/%([A-Z]+)%/g, (whole, key: string) => entryOf(values, key) ?? whole)
  const style = `<link rel="stylesheet" href="${escapeHtml(settings.StaticURL)}/custom.css">`
  // Linked last, so that the administrator's style overrides the others.
  const more = [...themeColors(settings), ...(settings.CSS ? [style] : [])]
  return filled.replace('</head>', () => `${more.join('\n    ')}\n  </head>`)
}

/** An empty theme is light if the setting to follow the device is off. */
function followsDevice({ Theme, FollowDevice }: PageSettings): boolean {
  return Theme === '' && FollowDevice
}

/** The color that a browser gives the window around the page. */
function themeColors(settings: PageSettings): string[] {
  const { Color, Theme } = settings
  const meta = (color: string, media = '') =>
    `<meta name="theme-color"${media} content="${escapeHtml(color)}">`
  if (Color || !followsDevice(settings)) return [meta(Color || windowColors[Theme || 'light'])]
  const schemes = ['light', 'dark'] as const
  return schemes.map((scheme) => meta(windowColors[scheme], ` media="(prefers-color-scheme: ${scheme})"`))
}
