import type { Plugin } from 'esbuild'
import { formats } from '../../locales/formats.ts'

/**
 * Writes the language formats of Node into the bundle as data. `locales/formats.ts` uses `Intl` data that browsers
 * may lack.
 */
export const languageFormats: Plugin = {
  name: 'language-formats',
  setup(build) {
    build.onLoad({ filter: /[\\/]locales[\\/]formats\.ts$/ }, () => ({
      contents: `export const formats = new Map(${JSON.stringify([...formats])})`,
      loader: 'js',
    }))
  },
}
