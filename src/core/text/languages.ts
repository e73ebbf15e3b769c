import { locales } from '#contract/schema/locales.ts'

/**
 * Returns the language that sorts names: the user's locale, else the first language of Coffer in an `Accept-Language`
 * header (RFC 9110 §12.5.4; browsers send the preferred one first), else English.
 */
export function languageOf(locale: string, accepted = ''): string {
  if (locale) return locale
  // Limits the work for a header of any length.
  for (const range of accepted.slice(0, 200).toLowerCase().split(',')) {
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
