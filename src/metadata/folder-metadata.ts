import type { EntryMetadata, MetadataField } from '#contract/metadata.ts'
import type { Principal } from '#src/access/principal.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { onPath, Problem } from '#src/core/problem.ts'
import type { ShownFolder } from '#src/files/listing/list-task.ts'
import type { ShownEntries } from '#src/files/metadata/list-entries.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { isStillThere } from '#src/files/reading/readable-file.ts'
import { type Picture, type ReadPicture, readPictures } from './batches.ts'
import type { KnownMetadata } from './metadata-cache.ts'
import type { MetadataRequest, MetadataTools } from './metadata-tools.ts'

// A request reads files for this time. The client asks again for the rest.
const budgetMs = 2000
// A user has one folder read at a time, because each uses both threads.
const limits = { all: 2, each: 1, waitingEach: 50, waitingAll: 200, maxWaitMs: 60_000 }

/** Returns a function that returns what is known about the entries of a folder, as the JSON of a `FolderMetadata`. */
export function createFolderReader({ readers, cache, owners, elapsed }: MetadataTools) {
  const permits = createSemaphore('metadata', limits)

  return async (person: Principal, held: OpenPath, request: MetadataRequest): Promise<Buffer> => {
    const { recheck, typed, fields, signal } = request
    using _permit = await permits.acquire(person.quotaOwner.key, { recheck, signal })
    // A moved folder may have other rules.
    if (!isStillThere(held)) throw new Problem('path.unknown', { path: typed.path })
    const end = elapsed() + budgetMs
    const stop = signal()
    const folder = await shownFolder(person, held)
    const list = { kind: 'list', folder, isAll: fields.includes('owner') } as const
    const { entries } = await readers
      .run(list, { recheck, signalWhileQueued: stop })
      .catch(onPath(typed.path))
    if (!entries) throw new Error('the metadata thread answered another task')
    const known = await cache.find([...new Set(entries.keys)].filter(Boolean))
    const pictures = needsFiles(fields) ? unread(entries, known) : []
    const isOver = () => stop.aborted || elapsed() > end
    const read =
      pictures.length === 0 ? [] : await readPictures(readers, folder, { pictures, isOver, recheck })
    const isStored = await cache.store(
      read.flatMap(({ key, fields }) => (key === undefined ? [] : { key, ...fields })),
    )
    const nameOf = fields.includes('owner') ? await owners.nameOf() : undefined
    const items = itemsJson(entries, { known, read, fields, nameOf })
    // If nothing can be stored, the next request would get no further than this one.
    const isComplete = read.length === pictures.length || !isStored
    return Buffer.from(`{"items":{${items}},"complete":${isComplete}}`)
  }
}

async function shownFolder(person: Principal, { address, real, spelled }: OpenPath): Promise<ShownFolder> {
  const { root, secret } = await person.jail()
  const { rules, user } = person
  return { address, real, root, secret, path: spelled, rules, hideDotfiles: user.hideDotfiles }
}

function needsFiles(fields: readonly MetadataField[]): boolean {
  return fields.includes('taken') || fields.includes('dimensions')
}

/** The pictures that were not read before. */
function unread({ names, keys }: ShownEntries, known: ReadonlyMap<string, KnownMetadata>): Picture[] {
  return names.flatMap((name, at) => {
    const { [at]: key = '' } = keys
    return key === '' || known.get(key)?.isRead ? [] : { name, key }
  })
}

function itemsJson(
  { names, keys, owners }: ShownEntries,
  {
    known,
    read,
    fields,
    nameOf,
  }: {
    known: ReadonlyMap<string, KnownMetadata>
    read: readonly ReadPicture[]
    fields: readonly MetadataField[]
    nameOf: ((owner: number) => string) | undefined
  },
): string {
  const readNow = new Map(read.map(({ name, fields }) => [name, fields]))
  const items = names.flatMap((name, at) => {
    const owner = nameOf && { owner: nameOf(owners[at] ?? 0) }
    const entry = { ...known.get(keys[at] ?? ''), ...readNow.get(name), ...owner }
    const json = JSON.stringify(pick(fields, entry))
    // Written by hand, because a name such as `__proto__` is no safe key of an object.
    return json === '{}' ? [] : `${JSON.stringify(name)}:${json}`
  })
  return items.join(',')
}

function pick(
  fields: readonly MetadataField[],
  { taken, width, height, placeholder, owner }: EntryMetadata,
): object {
  return {
    ...(fields.includes('taken') && { taken }),
    ...(fields.includes('dimensions') && { width, height }),
    ...(fields.includes('placeholder') && { placeholder }),
    ...(fields.includes('owner') && { owner }),
  }
}
