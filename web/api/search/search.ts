import type { Contract } from '#contract/index.ts'
import type { Output } from '#contract/schema/endpoint.ts'
import { addressOf } from '../client.ts'
import { readNdjson } from '../lines.ts'

/** One hit. Its path is relative to the searched folder, without a leading slash (contract/README.md#search). */
export type Hit = Output<Contract['GET /api/search/*']>[number]

/** One entry of a whole tree. */
type TreeEntry = Output<Contract['GET /api/resources/recursive/*']>[number]

// The server removes these options from the words (contract/compatibility.md#search-terms).
const options = /(^|\s)((?:case|type):\S+)/gi

/** The search terms in the words that a user has typed: words, and phrases in quotes. Options are not terms. */
export function searchTerms(words: string): string[] {
  const found = words.replace(options, '$1').matchAll(/"([^"]+)"(?!\S)|\S+/g)
  return [...found].map(([word, phrase = word]) => phrase)
}

/**
 * Searches below `folder` for names that contain all terms, and yields hits as the server finds them. Stops when
 * `signal` aborts or the caller stops reading.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, closes the connection, or `signal` aborts.
 */
export async function* search(folder: string, words: string, signal: AbortSignal): AsyncGenerator<Hit[]> {
  const terms = searchTerms(words)
  // Old clients expect names with any of the words from the server. So the server gets only the longest term.
  const [longest, ...others] = terms.toSorted((a, b) => b.length - a.length)
  const given = [...words.matchAll(options)].map(([, , option]) => option)
  const query = others.length > 0 ? [...given, `"${longest}"`].join(' ') : words
  const isExact = given.findLast((one) => /^case:/i.test(one ?? ''))?.toLowerCase() === 'case:sensitive'
  const fold = (text: string) => (isExact ? text.normalize('NFC') : text.normalize('NFC').toLowerCase())
  const folded = others.map(fold)
  const hasAll = ({ path }: Hit) => {
    const name = fold(path.slice(path.lastIndexOf('/') + 1))
    return folded.every((term) => name.includes(term))
  }
  for await (const hits of readNdjson<Hit>(addressOf('/api/search/*', { '*': folder }, { query }), signal))
    yield hits.filter(hasAll)
}

/** Yields everything below `folder` as it is found. @throws ApiProblem as `search`. */
export function entriesBelow(folder: string, signal: AbortSignal): AsyncGenerator<TreeEntry[]> {
  return readNdjson<TreeEntry>(addressOf('/api/resources/recursive/*', { '*': folder }), signal)
}
