import { i18n, type Messages } from '@lingui/core'
import { ApiProblem } from '#web/api/client.ts'
import { fetchPart } from '#web/ui/fetch-part.ts'

interface Catalogue {
  /** The words of the first load. */
  first(): Promise<{ messages: Messages }>
  /** The words of the screens that come later (`scripts/build/lingui.ts` parts them). */
  later(): Promise<{ messages: Messages }>
}

const catalogues = {
  ar: { first: () => import('../../locales/ar.po'), later: () => import('../../locales/ar.po?later') },
  de: { first: () => import('../../locales/de.po'), later: () => import('../../locales/de.po?later') },
  en: { first: () => import('../../locales/en.po'), later: () => import('../../locales/en.po?later') },
  es: { first: () => import('../../locales/es.po'), later: () => import('../../locales/es.po?later') },
  fr: { first: () => import('../../locales/fr.po'), later: () => import('../../locales/fr.po?later') },
  is: { first: () => import('../../locales/is.po'), later: () => import('../../locales/is.po?later') },
  it: { first: () => import('../../locales/it.po'), later: () => import('../../locales/it.po?later') },
  ja: { first: () => import('../../locales/ja.po'), later: () => import('../../locales/ja.po?later') },
  ko: { first: () => import('../../locales/ko.po'), later: () => import('../../locales/ko.po?later') },
  'nl-be': {
    first: () => import('../../locales/nl-be.po'),
    later: () => import('../../locales/nl-be.po?later'),
  },
  pl: { first: () => import('../../locales/pl.po'), later: () => import('../../locales/pl.po?later') },
  'pt-br': {
    first: () => import('../../locales/pt-br.po'),
    later: () => import('../../locales/pt-br.po?later'),
  },
  pt: { first: () => import('../../locales/pt.po'), later: () => import('../../locales/pt.po?later') },
  ro: { first: () => import('../../locales/ro.po'), later: () => import('../../locales/ro.po?later') },
  ru: { first: () => import('../../locales/ru.po'), later: () => import('../../locales/ru.po?later') },
  'sv-se': {
    first: () => import('../../locales/sv-se.po'),
    later: () => import('../../locales/sv-se.po?later'),
  },
  'zh-cn': {
    first: () => import('../../locales/zh-cn.po'),
    later: () => import('../../locales/zh-cn.po?later'),
  },
  'zh-tw': {
    first: () => import('../../locales/zh-tw.po'),
    later: () => import('../../locales/zh-tw.po?later'),
  },
} satisfies Record<string, Catalogue>

/** The languages there is a catalogue for. */
export const languages = Object.keys(catalogues)

type Offered = keyof typeof catalogues

/** The offered language that fits best: the wished one, else the first of the browser's, else English. */
export function choose(wished: string, browser: readonly string[]): Offered {
  const offered = Object.keys(catalogues) as Offered[]
  for (const tag of [wished, ...browser].map((tag) => tag.toLowerCase()).filter(Boolean)) {
    const [base] = tag.split('-')
    const related = offered.filter((one) => one.split('-')[0] === base)
    const found =
      related.find((one) => one === tag) ??
      related.find((one) => one === base) ??
      // Hong Kong reads the characters of Taiwan: those who share no region may share a script.
      related.find((one) => scriptOf(one) === scriptOf(tag)) ??
      related[0]
    if (found) return found
  }
  return 'en'
}

function scriptOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().script
  } catch {
    return undefined // a browser may list what is no tag
  }
}

/** The last that was wished for; its words may still be on their way. */
let current: Offered = 'en'
/** The one that is spoken. */
let active: Offered = 'en'
let needsAll = false

/**
 * Loads and activates the language for `wished` (a user's locale; empty: the browser's). Of several wishes the last one
 * counts, whichever words come first.
 *
 * @throws ApiProblem `network.lost` when the words cannot be fetched: the language stays what it was.
 */
export async function activateLanguage(wished: string): Promise<void> {
  const wanted = choose(wished, navigator.languages)
  current = wanted
  const { first, later } = catalogues[wanted]
  const tag = tagOf(wanted)
  const [{ messages }, more] = await Promise.all([
    fetchPart(first),
    needsAll ? fetchPart(later) : undefined,
    lacks(tag)
      ? fetchPart(() => import('#web/ui/format/own-intl.ts')).then((own) => own.teachIntl(tag))
      : undefined,
  ]).catch((error: unknown) => {
    if (current === wanted) current = active
    throw new ApiProblem(0, 'network.lost', String(error))
  })
  // Later words may have come while these were on their way: they stay.
  i18n.load(tag, { ...messages, ...more?.messages })
  if (current !== wanted) return
  active = wanted
  i18n.activate(tag)
  document.documentElement.lang = tag
  document.documentElement.dir = tag.startsWith('ar') ? 'rtl' : 'ltr'
}

/** Whether this browser writes no numbers and times in a language: Chromium does not know Icelandic. */
function lacks(tag: string): boolean {
  const { NumberFormat, DateTimeFormat, RelativeTimeFormat } = Intl
  const services: { supportedLocalesOf(tag: string): string[] }[] = [
    NumberFormat,
    DateTimeFormat,
    RelativeTimeFormat,
  ]
  return services.some((service) => service.supportedLocalesOf(tag).length === 0)
}

/** Loads the words of all that comes later, in this and in every language chosen from now on. */
export async function loadAllWords(): Promise<void> {
  needsAll = true
  // Another language may be chosen meanwhile: these words stay those of this one.
  const locale = current
  const { messages } = await fetchPart<{ messages: Messages }>(catalogues[locale].later)
  i18n.load(tagOf(locale), messages)
}

/** The catalogue's key is a file name; Intl and `lang` want the BCP 47 tag. */
function tagOf(locale: string): string {
  return Intl.getCanonicalLocales(locale)[0] ?? 'en'
}
