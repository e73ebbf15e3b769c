import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'

/**
 * Sorts the subtitle files of a video for a reader of `language`, the best first, because players turn on the first
 * one: the reader's language, then files without a language, then other languages. Files of one rank keep their
 * order.
 *
 * @param film name of the video file
 */
export function sortForLanguage(film: string, paths: readonly string[], language: string): string[] {
  const stem = film.replace(/\.[^.]*$/, '')
  const ranked = paths.map((path) => ({ path, rank: rankOf(wordsOf(path, stem), language) }))
  return ranked.sort((one, other) => one.rank - other.rank).map(({ path }) => path)
}

/**
 * The words in a subtitle's name after the name of the video: `film.en.forced.srt` of `film` has `en` and `forced`.
 */
function wordsOf(path: string, stem: string): string[] {
  const bare = nameOf(path as UserPath).replace(/\.[^.]*$/, '')
  const rest = bare.startsWith(stem) ? bare.slice(stem.length) : bare
  return rest.split(/[\s.]+/).filter((word) => word !== '')
}

function rankOf(words: readonly string[], language: string): number {
  const reader = localeOf(language)
  const written = words.map(localeOf).find((one) => one !== undefined)
  if (!written) return words.length === 0 ? 2 : 3
  if (written.language !== reader?.language) return 4
  return written.baseName === reader.baseName ? 0 : 1
}

// Created at the first use, because it takes 10 ms.
let known: Intl.DisplayNames | undefined

/** The language of a code such as `en`, `eng` or `pt_BR`; undefined if the word is not a language code. */
function localeOf(word: string): Intl.Locale | undefined {
  const tag = word.replace(/^[-_]+/, '').replace('_', '-')
  // SDH nearly always means "for the deaf and hard of hearing", not the language Southern Kurdish.
  if (!/^[a-z]{2,3}(-[a-z]{2,4})?$/i.test(tag) || /^sdh$/i.test(tag)) return undefined
  const locale = new Intl.Locale(tag)
  known ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  return known.of(locale.language) === undefined ? undefined : locale
}
