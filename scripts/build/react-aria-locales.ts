import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** The tags under which react-aria files the languages of `src/contract/users.ts`; it has no Icelandic (see below). */
const kept = new Set(
  'ar-AE de-DE en-US es-ES fr-FR it-IT ja-JP ko-KR nl-NL pl-PL pt-BR pt-PT ro-RO ru-RU sv-SE zh-CN zh-TW'.split(
    ' ',
  ),
)

/** What dialogs and menus need in Icelandic: the name of their hidden buttons that close them. */
const icelandic = `"is-IS": { dismiss: 'Loka' },`

/**
 * react-aria brings its screen reader sentences in 34 languages into every bundle: the ones we do not offer go, and Icelandic,
 * which it does not have, comes.
 */
export const reactAriaLocales: Plugin = {
  name: 'react-aria-locales',
  setup(build) {
    const file = /react-(?:aria|stately|aria-components)[\\/].*[\\/]intl[\\/].*?([a-z]{2}-[A-Z]{2})\.m?js$/
    build.onLoad({ filter: file }, ({ path }) => {
      const tag = file.exec(path)?.[1] ?? ''
      return kept.has(tag) ? undefined : { contents: 'export default {}', loader: 'js' }
    })
    build.onLoad({ filter: /react-aria[\\/].*[\\/]overlays[\\/]intlStrings\.m?js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const contents = source.replace('"it-IT":', (next) => `${icelandic} ${next}`)
      if (contents === source) return { errors: [{ text: `${path} has no list of languages` }] }
      return { contents, loader: 'js' }
    })
  },
}
