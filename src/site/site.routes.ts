import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'
import { escapeHtml } from '#src/core/text/escape-html.ts'
import { shortText, withLongText } from '#src/core/text/long-json.ts'
import { mediaType } from '#src/files/listing/entry.ts'
import { type App, at } from '#src/http/at.ts'
import { extendIdleTimeout } from '#src/http/limits.ts'
import { sendOk } from '#src/http/replies.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { type PreviewFile, previewAddress } from './site-preview.ts'

/** Reading the website and creating pages, under /api/site. */
export async function siteRoutes(app: App) {
  const { site, baseUrl } = app.services

  app.route({ ...at('GET /api/site'), handler: async ({ actor }) => site.view(actor()) })

  app.route({
    ...at('GET /api/site/status/*'),
    handler: async (request) => site.status(request.actor(), resourcePath(request, 3).path),
  })

  app.route({
    ...at('POST /api/site/pages'),
    handler: async ({ actor, body }, reply) => {
      extendIdleTimeout(reply)
      return { path: await site.createPage(actor(), body) }
    },
  })

  app.route({
    ...at('POST /api/site/front-matter'),
    handler: async ({ actor, body }, reply) => {
      const { text, view } = await site.frontMatter(actor(), body.text, body.changes)
      if (text.length <= shortText) return { text, view }
      const json = await withLongText(JSON.stringify({ view }), { name: 'text', text })
      return sendJson(reply, json) as never
    },
  })

  app.route({
    ...at('POST /api/site/preview'),
    handler: async ({ actor }, reply) => {
      extendIdleTimeout(reply)
      return { url: `${previewAddress(baseUrl, await site.preview(actor()))}/` }
    },
  })

  app.route({
    ...at('GET /api/site/preview/:id/*'),
    handler: async (request, reply) => {
      extendIdleTimeout(reply)
      return sendPreview(request, reply)
    },
  })
}

function sendJson(reply: FastifyReply, json: Buffer): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** Publishing now and later, under /api/publish. */
export async function publishRoutes(app: App) {
  const { site } = app.services

  app.route({ ...at('GET /api/publish'), handler: async ({ actor }) => site.list(actor()) })

  app.route({
    ...at('POST /api/publish/*'),
    handler: async (request, reply) => {
      extendIdleTimeout(reply)
      return site.publish(request.actor(), resourcePath(request).path, request.query.at)
    },
  })

  app.route({
    ...at('DELETE /api/publish/*'),
    handler: async (request, reply) => {
      await site.cancel(request.actor(), resourcePath(request).path.slice(1))
      return sendOk(reply)
    },
  })
}

/**
 * The scripts of the site run, but in an origin of their own: they cannot use the session of the user. So the files of
 * the preview belong to another origin than its page, and must be readable from there. Their address is the ticket.
 */
const previewHeaders = {
  'content-security-policy': 'sandbox allow-scripts',
  'cross-origin-resource-policy': 'cross-origin',
  'cross-origin-opener-policy': 'unsafe-none',
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
}

const versionName = '.coffer-version'
// A larger page gets no script that reloads it.
const mostInjected = 16 * 1024 * 1024

async function sendPreview(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site, baseUrl } = request.server.services
  const { id } = request.params as { id: string }
  const { path } = resourcePath(request, 4)
  reply.headers(previewHeaders)
  if (path === `/${versionName}`) return reply.type('text/plain').send(String(site.previewVersion(id)))
  const address = previewAddress(baseUrl, id)
  const version = site.previewVersion(id)
  const found = await site.previewFile(id, path).catch((error: unknown) => asFailedPage(error))
  if (typeof found === 'string') return sendFailedPage(reply, found, reloadScript(address, version))
  // Relative links of a page need the slash of its folder.
  const [url = ''] = (request.raw.url ?? '').split('?')
  if (found.name === 'index.html' && !/\/(index\.html)?$/.test(url)) {
    await found.file.close()
    return reply.redirect(`${address}${encodeURI(path)}/`)
  }
  return sendPreviewFile(reply, found, reloadScript(address, found.version))
}

/** What the generator said about a build that failed. @throws every other error. */
function asFailedPage(error: unknown): string {
  if (error instanceof Problem && error.code === 'site.failed') return String(error.details?.output)
  throw error
}

/** A page in place of one that could not be built. It reloads itself, too. */
function sendFailedPage(reply: FastifyReply, output: string, script: string): FastifyReply {
  return reply
    .code(422)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><meta name="color-scheme" content="light dark"><pre>${escapeHtml(output)}</pre>${script}`,
    )
}

async function sendPreviewFile(
  reply: FastifyReply,
  { file, name, size }: PreviewFile,
  script: string,
): Promise<FastifyReply> {
  const type = mediaType(name) ?? 'application/octet-stream'
  if (type !== 'text/html' || size > mostInjected) {
    return reply.type(type).header('content-length', size).send(file.createReadStream())
  }
  try {
    const page = await file.readFile()
    return reply.type('text/html; charset=utf-8').send(Buffer.concat([page, Buffer.from(script)]))
  } finally {
    await file.close()
  }
}

/** Reloads the page when the site has changed. It asks again and again: the sandbox allows no connection that stays. */
function reloadScript(address: string, version: number): string {
  const url = JSON.stringify(`${address}/${versionName}`)
  return `\n<script>setInterval(async () => {
  const response = await fetch(${url}).catch(() => undefined)
  if (response?.ok && (await response.text()) !== '${version}') location.reload()
}, 1000)</script>\n`
}
