import { createHash } from 'node:crypto'
import { entryOf } from '#src/core/lookup.ts'

/** Styles that a library of the page inserts by script. They are allowed by their hashes only. */
const injectedStyles: readonly string[] = [
  // react-aria, usePress: a press on a touch screen is not a double tap.
  '@layer {\n  [data-react-aria-pressable] {\n    touch-action: pan-x pan-y pinch-zoom;\n  }\n}',
  // react-aria, usePreventScroll, on iOS: the content behind a dialog does not scroll.
  '@layer {\n  * {\n    overscroll-behavior: contain;\n  }\n}',
]

const hashes = injectedStyles.map(
  (style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
)

// Other hosts that Google's service loads its scripts and frames from.
const extraSources: Record<string, { scripts: string; frames: string }> = {
  'https://www.google.com': {
    scripts: ' https://www.gstatic.com/recaptcha/',
    frames: ' https://recaptcha.google.com/recaptcha/',
  },
  'https://www.recaptcha.net': { scripts: ' https://www.gstatic.com/recaptcha/', frames: '' },
}

/**
 * The content security policy of the page: it may load our own files, and images made in the page. No inline scripts
 * (contract/README.md#page-settings). Our frames contain only blobs made by the page, such as a PDF: our URLs may not
 * be framed, not even by us.
 *
 * @param checkHost origin of the CAPTCHA, whose script and frames are allowed; empty: there is none
 */
export function pagePolicy(checkHost: string): string {
  const check = checkHost && ` ${checkHost}/recaptcha/`
  const { scripts = '', frames = '' } = entryOf(extraSources, checkHost) ?? {}
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

/** For the API documentation, which has a style and no script. */
export const docsPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** For SVG images, which have inline styles: if a browser opens one on its own, no script in it runs. */
export const imagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

// For responses that are not pages: if a browser displays one anyway, it can do nothing.
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"
