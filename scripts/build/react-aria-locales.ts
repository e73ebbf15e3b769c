import type { Plugin } from 'esbuild'

/** The tags under which react-aria files the languages of `src/contract/users.ts`; it has no Icelandic. */
const kept = new Set(
  'ar-AE de-DE en-US es-ES fr-FR it-IT ja-JP ko-KR nl-NL pl-PL pt-BR pt-PT ro-RO ru-RU sv-SE zh-CN zh-TW'.split(
    ' ',
  ),
)

/** react-aria brings its screen reader sentences in 34 languages into every bundle: the ones we do not offer go. */
export const reactAriaLocales: Plugin = {
  name: 'react-aria-locales',
  setup(build) {
    const file = /react-(?:aria|stately|aria-components)[\\/].*[\\/]intl[\\/].*?([a-z]{2}-[A-Z]{2})\.m?js$/
    build.onLoad({ filter: file }, ({ path }) => {
      const tag = file.exec(path)?.[1] ?? ''
      return kept.has(tag) ? undefined : { contents: 'export default {}', loader: 'js' }
    })
  },
}
