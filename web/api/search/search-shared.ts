import type { Item, Listing } from '#contract/resources.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import type { Share } from '../origin.ts'
import { type Hit, searchTerms } from './search.ts'

/** Number of folders that are read for one search. */
const mostFolders = 200

/** The types of the filters of a search (contract/compatibility.md#search-terms). */
const types: Record<string, string> = {
  image: 'image',
  music: 'audio',
  audio: 'audio',
  pdf: 'pdf',
  video: 'video',
}

/**
 * Searches a share, for which the server has no search: reads its folders one after another, those near `folder` first.
 * Yields the hits in each folder, and `partial` at the end if there are more folders.
 *
 * @param folder decoded, relative to the share, with a slash at its end
 * @param query words and options, as for the user's own files
 * @throws ApiProblem when a folder cannot be read, or `signal` aborts.
 */
export async function* searchShared(
  link: Share,
  folder: string,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<Hit[] | 'partial'> {
  const matches = matcherOf(query)
  const waiting = [folder]
  for (let read = 0; waiting.length > 0; read++) {
    if (read === mostFolders) {
      yield 'partial'
      return
    }
    const path = waiting.shift() ?? folder
    const answer = await link.read(path, { signal })
    if (!('items' in answer)) continue
    const { items } = answer as Listing
    waiting.push(...items.filter(({ isDir }) => isDir).map(({ name }) => `${path}${name}/`))
    yield items
      .filter(matches)
      .map(({ name, isDir }) => ({ dir: isDir, path: `${path}${name}`.slice(folder.length) }))
  }
}

/** Whether an item has all words of the query in its name, and the type. */
function matcherOf(query: string): (item: Item) => boolean {
  const isExact = /(^|\s)case:sensitive(?!\S)/i.test(query)
  const fold = (text: string) => (isExact ? text.normalize('NFC') : text.normalize('NFC').toLowerCase())
  const terms = searchTerms(query).map(fold)
  const wanted = /(?:^|\s)type:(\S+)/i.exec(query)?.[1]?.toLowerCase()
  return ({ name, type, isDir }) => {
    if (wanted !== undefined && (isDir || !isOfType({ name, type }, wanted))) return false
    const folded = fold(name)
    return terms.every((term) => folded.includes(term))
  }
}

/** The type is a kind of files or an extension. */
function isOfType({ name, type }: Pick<Item, 'name' | 'type'>, wanted: string): boolean {
  const kind = ownEntry(types, wanted)
  return kind === undefined ? name.toLowerCase().endsWith(`.${wanted}`) : type === kind
}
