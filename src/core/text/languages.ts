import { locales } from '#contract/schema/locales.ts'

/**
 * Returns the language of Coffer that sorts names: the nearest one to the user's locale, else to a language in an
 * `Accept-Language` header (RFC 9110 §12.5.4; browsers send the preferred one first), else English.
 *
 * @param locale may be one that Coffer does not have, from a client of File Browser
 */
export function languageOf(locale: string, accepted = ''): string {
  // Limits the work for a header of any length.
  for (const range of `${locale.replaceAll('_', '-')},${accepted.slice(0, 200)}`.toLowerCase().split(',')) {
    const tag = range.split(';', 1)[0]?.trim() ?? ''
    const base = tag.split('-', 1)[0]
    const found =
      locales.find((one) => one === tag) ??
      locales.find((one) => one === base) ??
      locales.find((one) => one.split('-', 1)[0] === base)
    if (found) return found
  }
  return 'en'
}
