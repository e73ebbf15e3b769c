import type { PageSettings } from '#contract/system.ts'
import { entryOf } from '#src/core/lookup.ts'

/** Built-in icons and the names of branding icons, relative to `/static` (contract/compatibility.md#branding). */
const knownIcons: Record<string, { sizes: string; isBuiltIn: boolean; purpose?: 'maskable' }> = {
  'icon.svg': { sizes: 'any', isBuiltIn: true },
  'img/icons/android-chrome-192x192.png': { sizes: '192x192', isBuiltIn: true },
  'img/icons/android-chrome-256x256.png': { sizes: '256x256', isBuiltIn: false },
  'img/icons/android-chrome-512x512.png': { sizes: '512x512', isBuiltIn: true },
  'img/icons/maskable-512x512.png': { sizes: '512x512', isBuiltIn: true, purpose: 'maskable' },
}

/** All icons that a manifest may contain, relative to `/static`. */
export const manifestIcons = Object.keys(knownIcons)

/** The colour of the window around the page: the background colour in `web/style/tokens.css`. */
export const windowColors = { light: '#f6f6f4', dark: '#111314' } as const

/**
 * The web manifest (W3C Web Application Manifest): browsers install the page with the instance's name and icons.
 *
 * @param branded icons of the branding folder; if it has any, the built-in icons are not used
 */
export function createManifest(
  { Name, Color, Theme, BaseURL, StaticURL }: PageSettings,
  branded: readonly { src: string; type: string }[],
) {
  const name = Name || 'Coffer'
  const builtIn = manifestIcons
    .filter((src) => entryOf(knownIcons, src)?.isBuiltIn)
    .map((src) => ({ src, type: src.endsWith('.svg') ? 'image/svg+xml' : 'image/png' }))
  const windowColor = windowColors[Theme || 'light']
  return {
    id: `${BaseURL}/`,
    name,
    short_name: name,
    start_url: `${BaseURL}/`,
    scope: `${BaseURL}/`,
    display: 'standalone',
    background_color: windowColor,
    theme_color: Color || windowColor,
    icons: (branded.length > 0 ? branded : builtIn).map(({ src, type }) => {
      const { sizes, purpose } = entryOf(knownIcons, src) ?? { sizes: 'any' }
      return { src: `${StaticURL}/${src}`, sizes, type, ...(purpose && { purpose }) }
    }),
  }
}
