import { i18n, type Messages } from '@lingui/core'
import { ApiProblem } from '#web/api/client.ts'
import { addSentences } from '#web/api/problems/problem-text.ts'
import { regionalTag } from '#web/ui/format/region.ts'
import { fetchWithRetry } from '#web/ui/loading/fetch-part.ts'

interface Catalogue {
  /** The messages of the first load. */
  first(): Promise<{ messages: Messages }>
  /** The messages of screens that load later (`scripts/build/lingui.ts` splits the catalogue). */
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

/** The languages with a catalogue. */
export const languages = Object.keys(catalogues)

type Language = keyof typeof catalogues

/** The best supported language: the chosen one, else the first supported one of the browser, else English. */
export function chooseLanguage(chosen: string, browser: readonly string[]): Language {
  const supported = Object.keys(catalogues) as Language[]
  for (const tag of [chosen.replaceAll('_', '-'), ...browser]
    .map((tag) => tag.toLowerCase())
    .filter(Boolean)) {
    const [base] = tag.split('-')
    const related = supported.filter((one) => one.split('-')[0] === base)
    const found =
      related.find((one) => one === tag) ??
      related.find((one) => one === base) ??
      // Hong Kong uses the script of Taiwan: variants without a common region may share a script.
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
    return undefined // a browser may list invalid tags
  }
}

/** The language that was requested last. Its messages may still be loading. */
let current: Language = 'en'
/** The language that is active. */
let active: Language = 'en'
let needsAll = false
/** The languages of which all messages are loaded. */
const complete = new Set<Language>()

/**
 * Loads and activates the language for `chosen` (a user's locale; empty: the browser's). If several calls overlap, the
 * last one wins.
 *
 * @throws ApiProblem `network.lost` when the messages cannot be fetched. The language then does not change.
 */
export async function activateLanguage(chosen: string): Promise<void> {
  const language = chooseLanguage(chosen, navigator.languages)
  current = language
  const { first, later } = catalogues[language]
  const tag = tagOf(language)
  const [{ messages }, more] = await Promise.all([
    fetchWithRetry(first),
    needsAll ? fetchWithRetry(later) : undefined,
    lacks(tag)
      ? fetchWithRetry(() => import('#web/ui/format/own-intl.ts')).then((own) => own.extendIntl(tag))
      : undefined,
  ]).catch((error: unknown) => {
    if (current === language) current = active
    throw new ApiProblem(0, 'network.lost', String(error))
  })
  // The later messages may have been loaded meanwhile, so they are merged, not replaced.
  i18n.load(tag, { ...messages, ...more?.messages })
  if (current !== language) return
  active = language
  // The numbers in messages follow the region of the browser, too.
  i18n.activate(tag, regionalTag(tag))
  document.documentElement.lang = tag
  document.documentElement.dir = tag.startsWith('ar') ? 'rtl' : 'ltr'
}

/** Whether this browser cannot format numbers and times in a language: Chromium does not know Icelandic. */
function lacks(tag: string): boolean {
  const { NumberFormat, DateTimeFormat, RelativeTimeFormat } = Intl
  const services: { supportedLocalesOf(tag: string): string[] }[] = [
    NumberFormat,
    DateTimeFormat,
    RelativeTimeFormat,
  ]
  return services.some((service) => service.supportedLocalesOf(tag).length === 0)
}

/**
 * Loads the messages of all later screens, now and for every language chosen afterwards, and the sentences for all
 * problem codes. Each lazy part calls this.
 */
export async function loadAllMessages(): Promise<void> {
  needsAll = true
  // The user may choose another language during the fetch. These messages belong to this one.
  const locale = current
  if (complete.has(locale)) return
  const [{ messages }, { laterSentences }] = await Promise.all([
    fetchWithRetry<{ messages: Messages }>(catalogues[locale].later),
    fetchWithRetry(() => import('#web/api/problems/later-sentences.ts')),
  ])
  // Another call may have loaded them meanwhile. Each load renders the whole page again.
  if (complete.has(locale)) return
  complete.add(locale)
  addSentences(laterSentences)
  i18n.load(tagOf(locale), messages)
}

/** The catalogue's key is a file name. Intl and `lang` need the BCP 47 tag. */
function tagOf(locale: string): string {
  return Intl.getCanonicalLocales(locale)[0] ?? 'en'
}
