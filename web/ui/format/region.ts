const known = new Map<string, string>()

/** The tag for numbers and times in the language `tag`: with the region of this browser, as in `en-GB` for `en`. */
export function regionalTag(tag: string): string {
  const found = known.get(tag) ?? inRegion(tag, navigator.languages)
  known.set(tag, found)
  return found
}

/**
 * The language `tag` with the region of the first of the browser's languages that is the same one, in the same script.
 * Without such a language, or if `Intl` does not know this region, the tag stays as it is.
 */
export function inRegion(tag: string, browser: readonly string[]): string {
  const { language, script } = new Intl.Locale(tag).maximize()
  for (const one of browser.flatMap(partsOf)) {
    if (!one.region || one.language !== language || one.script !== script) continue
    const regional = `${language}-${one.region}`
    const { locale, calendar } = new Intl.DateTimeFormat(regional).resolvedOptions()
    // The months of the page are those of the calendar that all browsers share.
    if (locale === regional) return calendar === 'gregory' ? regional : `${regional}-u-ca-gregory`
  }
  return tag
}

interface Parts {
  language: string
  script: string | undefined
  region: string | undefined
}

/** The parts of a tag, with the usual script of the language. Empty for an invalid tag, which a browser may list. */
function partsOf(tag: string): Parts[] {
  try {
    const locale = new Intl.Locale(tag)
    return [{ language: locale.language, script: locale.maximize().script, region: locale.region }]
  } catch {
    return []
  }
}
