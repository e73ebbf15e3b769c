/**
 * Turns a title into a file name without extension: small letters, digits and hyphens, in any script. Accents are
 * removed from Latin letters. `Ein Tag am Meer!` becomes `ein-tag-am-meer`. A title without letters becomes `page`.
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
  // File names have at most 255 bytes. Jekyll puts a date in front.
  let end = Math.min(slug.length, 120)
  while (Buffer.byteLength(slug.slice(0, end)) > 200) end--
  return (
    slug
      .slice(0, end)
      .toWellFormed()
      .replace(/[-\ufffd]+$/, '') || 'page'
  )
}
