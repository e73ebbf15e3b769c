import type { Plugin } from 'esbuild'
import { formats } from '../../locales/formats.ts'

/** Writes the language formats of Node into the bundle for `locales/formats.ts`: browsers may lack this `Intl` data. */
export const languageFormats: Plugin = {
  name: 'language-formats',
  setup(build) {
    build.onLoad({ filter: /[\\/]locales[\\/]formats\.ts$/ }, () => ({
      contents: `export const formats = new Map(${JSON.stringify([...formats])})`,
      loader: 'js',
    }))
  },
}
