import { mediaType } from '#src/files/listing/entry.ts'

/**
 * A parsed search query (contract/compatibility.md#search-terms, as of 2.12). Plain data, so that it can be sent to a
 * worker.
 */
export interface Query {
  /** An entry's own name must contain one of these; empty: every name matches. */
  terms: string[]
  /** The entry must have one of these types; empty: every type. `image`, `audio`, `video`, or a file extension. */
  types: string[]
  isCaseSensitive: boolean
}

/**
 * Parses a query. `case:sensitive` and `type:X` may be anywhere. In the rest, each word is a term; if the whole rest is
 * in double quotes, it is one term.
 */
export function parseQuery(text: string): Query {
  let isCaseSensitive = false
  const types: string[] = []
  const rest = text.replace(/(^|\s)(case|type):(\S+)/gi, (_, space: string, key: string, value: string) => {
    if (key.toLowerCase() === 'type') types.push(typeOf(value.toLowerCase()))
    else isCaseSensitive = value.toLowerCase() === 'sensitive'
    return space
  })
  const words = rest.trim()
  const [, quoted] = /^"(.*)"$/s.exec(words) ?? []
  const terms = (quoted === undefined ? words.split(/\s+/) : [quoted]).filter((term) => term !== '')
  return { terms: terms.map((term) => fold(term, isCaseSensitive)), types, isCaseSensitive }
}

/** Creates a function that checks whether a name matches the query. Folders have no type. */
export function createMatcher({
  terms,
  types,
  isCaseSensitive,
}: Query): (name: string, isDir: boolean) => boolean {
  return (name, isDir) => {
    if (types.length > 0 && (isDir || !types.some((type) => hasType(name, type)))) return false
    if (terms.length === 0) return true
    const folded = fold(name, isCaseSensitive)
    return terms.some((term) => folded.includes(term))
  }
}

function typeOf(value: string): string {
  return value === 'music' ? 'audio' : value
}

function hasType(name: string, type: string): boolean {
  if (type === 'image' || type === 'audio' || type === 'video')
    return mediaType(name)?.startsWith(`${type}/`) ?? false
  return name.toLowerCase().endsWith(`.${type}`)
}

/** Normalises text that looks equal: macOS writes `ä` as two characters, other systems as one. */
function fold(text: string, isCaseSensitive: boolean): string {
  const composed = text.normalize('NFC')
  return isCaseSensitive ? composed : composed.toLowerCase()
}
