/** Maximum length of a slug. File names have at most 255 bytes, and Jekyll puts a date in front. */
const max = { characters: 120, bytes: 200 }

/**
 * Turns a title into a file name without extension: small letters, digits and hyphens, in any script. Accents are
 * removed from Latin letters. `Ein Tag am Meer!` becomes `ein-tag-am-meer`. A title without letters becomes `page`.
 * The page uses this function, too.
 */
export function slugOf(title: string): string {
  const plain = title
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'o')
  const words = plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const slug = words.join('-')
  const encoder = new TextEncoder()
  let end = Math.min(slug.length, max.characters)
  while (encoder.encode(slug.slice(0, end)).length > max.bytes) end--
  // A cut may leave a hyphen, or one half of a surrogate pair.
  return slug.slice(0, end).replace(/[-\ud800-\udbff]+$/, '') || 'page'
}
