import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { KeptRecord } from '#src/files/kept/kept-record.ts'
import type { Tracked } from './actions.ts'
import type { Item } from './history.ts'
import * as model from './reference.ts'

/** The ids of everything in a folder of kept items. */
export function keptIds(folder: string): Set<string> {
  return new Set(readdirSync(folder).filter((name) => /^[\w-]+$/.test(name)))
}

/** A file or folder of the disk as a text. `linesOfEntry` does the same for one of the model. */
export function linesAt(address: string): string {
  return statSync(address).isDirectory()
    ? model.linesOfDisk(address).join('\n')
    : readFileSync(address, 'utf8')
}

/** @see linesAt */
export function linesOfEntry(entry: model.Entry): string {
  if (entry.kind === 'folder') return model.linesOfModel(entry).join('\n')
  return entry.kind === 'file' ? entry.text : ''
}

function recordOf(folder: string, id: string): KeptRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Finds the new items of a folder of kept items in the model, and stores their ids.
 *
 * @param present all ids in the folder
 * @param known the ids that were there before; those of new items are added
 * @returns what the model does not expect; undefined: nothing
 */
export function matchKept(
  { name, history, ids }: Tracked,
  { folder, present, known }: { folder: string; present: ReadonlySet<string>; known: Set<string> },
): string | undefined {
  for (const id of present) {
    if (known.has(id)) continue
    const record = recordOf(folder, id)
    // Items of others may disappear meanwhile.
    if (!record) continue
    known.add(id)
    const { kind, path } = record
    if (!path.startsWith(`/${name}/`)) continue
    const lines = linesAt(join(folder, id))
    const isIt = (item: Item) => !ids.has(item) && item.kind === kind && `/${name}${item.was}` === path
    const item = [...history.kept].find((each) => isIt(each) && linesOfEntry(each.entry) === lines)
    if (!item) return `kept as a ${kind}, unexpected: ${id} ${path} ${lines}`
    ids.set(item, id)
  }
  const lacking = [...history.kept].find((item) => !present.has(ids.get(item) ?? ''))
  return lacking && `not kept: ${lacking.kind} of ${lacking.was}`
}
