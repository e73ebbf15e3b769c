import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { entryOf } from '#src/core/lookup.ts'
import type { App } from '#src/http/at.ts'

/** Styles that a library of the page puts into it by script, allowed by their hash and nothing else. */
const injectedStyles: readonly string[] = [
  // react-aria, usePress: a press on a touch screen is no double tap.
  '@layer {\n  [data-react-aria-pressable] {\n    touch-action: pan-x pan-y pinch-zoom;\n  }\n}',
  // react-aria, usePreventScroll, on Apple's telephones: what lies behind a dialog stays where it is.
  '@layer {\n  * {\n    overscroll-behavior: contain;\n  }\n}',
]

const hashes = injectedStyles.map(
  (style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
)

// Google's service spreads its scripts and frames over other hosts of its own.
const alsoOf: Record<string, { scripts: string; frames: string }> = {
  'https://www.google.com': {
    scripts: ' https://www.gstatic.com/recaptcha/',
    frames: ' https://recaptcha.google.com/recaptcha/',
  },
  'https://www.recaptcha.net': { scripts: ' https://www.gstatic.com/recaptcha/', frames: '' },
}

/**
 * What the page may load: our own files, and pictures made in the page. No inline script anywhere (contract/README.md#page-settings). A frame
 * of ours holds only what the page made itself, a PDF: what our addresses answer may not be framed, not even by us.
 *
 * @param checkHost origin of the human check, whose script and frames are let in; empty: there is none
 */
export function pagePolicy(checkHost: string): string {
  const check = checkHost && ` ${checkHost}/recaptcha/`
  const { scripts = '', frames = '' } = entryOf(alsoOf, checkHost) ?? {}
  return [
    "default-src 'none'",
    `script-src 'self'${check}${scripts}`,
    `style-src ${["'self'", ...hashes].join(' ')}`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "font-src 'self'",
    `frame-src blob:${check}${frames}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** For the page of the calls and the manual, which have a style and no script. */
export const docsPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** For drawings, which style themselves: should a browser open one on its own, nothing in it runs. */
export const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

// For answers that are no page: should a browser show one all the same, it can do nothing.
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

/** What of a browser the page uses, and what nothing here ever may, so that nobody is asked for it in our name. */
const permissions = [
  ...['fullscreen=(self)', 'clipboard-write=(self)'],
  ...['camera=()', 'microphone=()', 'geolocation=()', 'display-capture=()', 'payment=()'],
  ...['usb=()', 'serial=()', 'hid=()', 'midi=()', 'xr-spatial-tracking=()'],
].join(', ')

/** Puts the headers on every answer that keep browsers from guessing, framing and telling. */
export function setHeaders(app: App, { isTls }: { isTls: boolean }): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request, isTls))
  })
}

/** What stands on every answer. */
export function commonHeaders({ id, url }: FastifyRequest, isTls: boolean) {
  return {
    ...(isTls && { 'strict-transport-security': 'max-age=31536000' }),
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': dataPolicy,
    'x-frame-options': 'DENY',
    'permissions-policy': permissions,
    ...(url.startsWith('/api/') && { 'cache-control': 'no-cache, no-store, must-revalidate' }),
  }
}
