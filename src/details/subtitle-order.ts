import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'

/**
 * The subtitle files of a film in the order in which somebody who reads `language` wants them, the best one first, because
 * players switch the first one on: their own language, then files that name no language, then other languages. Files of
 * one kind keep their order.
 *
 * @param film its name
 */
export function inReadersOrder(film: string, paths: readonly string[], language: string): string[] {
  const stem = film.replace(/\.[^.]*$/, '')
  const ranked = paths.map((path) => ({ path, rank: rankOf(wordsOf(path, stem), language) }))
  return ranked.sort((one, other) => one.rank - other.rank).map(({ path }) => path)
}

/** What the name of a subtitle file says besides the name of its film: `film.en.forced.srt` of `film` says `en`, `forced`. */
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

const known = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The language that a word is a code of, as `en`, `eng` or `pt_BR`; undefined when it is none. */
function localeOf(word: string): Intl.Locale | undefined {
  const tag = word.replace(/^[-_]+/, '').replace('_', '-')
  // SDH marks subtitles for the deaf and hard of hearing far more often than the language Southern Kurdish.
  if (!/^[a-z]{2,3}(-[a-z]{2,4})?$/i.test(tag) || /^sdh$/i.test(tag)) return undefined
  const locale = new Intl.Locale(tag)
  return known.of(locale.language) === undefined ? undefined : locale
}
