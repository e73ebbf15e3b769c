import type { Plugin } from 'esbuild'
import { formats } from '../../locales/formats.ts'

/** Puts what Node knows of the languages into the page as data: `locales/formats.ts` asks `Intl`, which browsers may lack. */
export const languageFormats: Plugin = {
  name: 'language-formats',
  setup(build) {
    build.onLoad({ filter: /[\\/]locales[\\/]formats\.ts$/ }, () => ({
      contents: `export const formats = new Map(${JSON.stringify([...formats])})`,
      loader: 'js',
    }))
  },
}
