import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** The tags in react-aria of the languages in `src/contract/users.ts`. It has no Icelandic (see below). */
const kept = new Set(
  'ar-AE de-DE en-US es-ES fr-FR it-IT ja-JP ko-KR nl-NL pl-PL pt-BR pt-PT ro-RO ru-RU sv-SE zh-CN zh-TW'.split(
    ' ',
  ),
)

/** The Icelandic text for dialogs and menus: the name of their hidden close buttons. */
const icelandic = `"is-IS": { dismiss: 'Loka' },`

/**
 * Removes the screen reader texts of react-aria in languages that we do not offer, and adds Icelandic, which it lacks.
 * Otherwise every bundle would contain its texts in 34 languages.
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
