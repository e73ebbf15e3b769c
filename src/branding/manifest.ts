import type { PageSettings } from '#contract/system.ts'
import { entryOf } from '#src/core/lookup.ts'

/** Our own pictures, and the names that branding folders have for theirs (contract/compatibility.md#branding), relative to `/static`. */
const pictures: Record<string, { sizes: string; isOurs: boolean; purpose?: 'maskable' }> = {
  'icon.svg': { sizes: 'any', isOurs: true },
  'img/icons/android-chrome-192x192.png': { sizes: '192x192', isOurs: true },
  'img/icons/android-chrome-256x256.png': { sizes: '256x256', isOurs: false },
  'img/icons/android-chrome-512x512.png': { sizes: '512x512', isOurs: true },
  'img/icons/maskable-512x512.png': { sizes: '512x512', isOurs: true, purpose: 'maskable' },
}

/** Every picture that a manifest may name, relative to `/static`. */
export const manifestIcons = Object.keys(pictures)

/** The colour of the window around the page, as `web/style/tokens.css` has it for what lies behind everything. */
export const deskColors = { light: '#f6f6f4', dark: '#111314' } as const

/**
 * The web manifest (W3C Web Application Manifest): browsers install the page under the instance's own name and look.
 *
 * @param branded the pictures that the branding folder has; one is enough for ours to give way
 */
export function manifestOf(
  { Name, Color, Theme, BaseURL, StaticURL }: PageSettings,
  branded: readonly { src: string; type: string }[],
) {
  const name = Name || 'Coffer'
  const ours = manifestIcons
    .filter((src) => entryOf(pictures, src)?.isOurs)
    .map((src) => ({ src, type: src.endsWith('.svg') ? 'image/svg+xml' : 'image/png' }))
  const desk = deskColors[Theme || 'light']
  return {
    id: `${BaseURL}/`,
    name,
    short_name: name,
    start_url: `${BaseURL}/`,
    scope: `${BaseURL}/`,
    display: 'standalone',
    background_color: desk,
    theme_color: Color || desk,
    icons: (branded.length > 0 ? branded : ours).map(({ src, type }) => {
      const { sizes, purpose } = entryOf(pictures, src) ?? { sizes: 'any' }
      return { src: `${StaticURL}/${src}`, sizes, type, ...(purpose && { purpose }) }
    }),
  }
}
