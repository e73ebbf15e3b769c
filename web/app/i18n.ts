import { i18n, type Messages } from '@lingui/core'

const catalogues = {
  en: () => import('../../locales/en.po'),
} satisfies Record<string, () => Promise<{ messages: Messages }>>

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

/** Loads and activates the language for `wished` (a user's locale; empty: the browser's). */
export async function activateLanguage(wished: string): Promise<void> {
  const locale = choose(wished, navigator.languages)
  const { messages } = await catalogues[locale]()
  // The catalogue's key is a file name; Intl and `lang` want the BCP 47 tag.
  const [tag = 'en'] = Intl.getCanonicalLocales(locale)
  i18n.loadAndActivate({ locale: tag, messages })
  document.documentElement.lang = tag
  document.documentElement.dir = tag.startsWith('ar') ? 'rtl' : 'ltr'
}
