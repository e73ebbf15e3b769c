import { i18n, type Messages } from '@lingui/core'

interface Catalogue {
  /** The words of the first load. */
  first(): Promise<{ messages: Messages }>
  /** The words of the screens that come later (`scripts/build/lingui.ts` parts them). */
  later(): Promise<{ messages: Messages }>
}

const catalogues = {
  en: { first: () => import('../../locales/en.po'), later: () => import('../../locales/en.po?later') },
} satisfies Record<string, Catalogue>

/** The languages there is a catalogue for. */
export const languages = Object.keys(catalogues)

type Offered = keyof typeof catalogues

/** The offered language that fits best: the wished one, else the first of the browser's, else English. */
export function choose(wished: string, browser: readonly string[]): Offered {
  const offered = Object.keys(catalogues) as Offered[]
  for (const tag of [wished, ...browser].map((tag) => tag.toLowerCase()).filter(Boolean)) {
    const found =
      offered.find((one) => one === tag) ?? offered.find((one) => one.split('-')[0] === tag.split('-')[0])
    if (found) return found
  }
  return 'en'
}

let current: Offered = 'en'
let needsAll = false

/** Loads and activates the language for `wished` (a user's locale; empty: the browser's). */
export async function activateLanguage(wished: string): Promise<void> {
  current = choose(wished, navigator.languages)
  const { first, later } = catalogues[current]
  const [{ messages }, more] = await Promise.all([first(), needsAll ? later() : undefined])
  const tag = tagOf(current)
  // Later words may have come while these were on their way: they stay.
  i18n.load(tag, { ...messages, ...more?.messages })
  i18n.activate(tag)
  document.documentElement.lang = tag
  document.documentElement.dir = tag.startsWith('ar') ? 'rtl' : 'ltr'
}

/** Loads the words of all that comes later, in this and in every language chosen from now on. */
export async function loadAllWords(): Promise<void> {
  needsAll = true
  // Another language may be chosen meanwhile: these words stay those of this one.
  const locale = current
  const { messages } = await catalogues[locale].later()
  i18n.load(tagOf(locale), messages)
}

/** The catalogue's key is a file name; Intl and `lang` want the BCP 47 tag. */
function tagOf(locale: string): string {
  return Intl.getCanonicalLocales(locale)[0] ?? 'en'
}
