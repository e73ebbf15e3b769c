import { proxy, ref } from 'valtio'
import type { EntryMetadata } from '#contract/metadata.ts'

/** What is known about the items of a folder, by name. */
export type ByName = ReadonlyMap<string, EntryMetadata>

/** Folders are remembered so that a list looks the same when the user returns: the last ones, and no more items than this. */
const maxFolders = 8
const maxItems = 10_000

const none: ByName = new Map()

/** What is known, by folder. The map is replaced as a whole: 50,000 observed items would cost too much. */
export const metadata = proxy({ byFolder: ref(new Map()) as ReadonlyMap<string, ByName> })

/** What is known about the items of `folder` now. */
export function knownIn(folder: string): ByName {
  return metadata.byFolder.get(folder) ?? none
}

/** Sets what is known about the items of a folder. Forgets the folders that were set longest ago. */
export function setMetadata(folder: string, items: Readonly<Record<string, EntryMetadata>>): void {
  const others = [...metadata.byFolder].filter(([path]) => path !== folder)
  const all: [string, ByName][] = [
    [folder, new Map(Object.entries(items))],
    ...others.slice(0, maxFolders - 1),
  ]
  let count = 0
  // The folder itself may have more items.
  const kept = all.filter(([, byName], at) => {
    count += byName.size
    return at === 0 || count <= maxItems
  })
  metadata.byFolder = ref(new Map(kept))
}

/** Forgets everything, because another user must not see it. */
export function forgetMetadata(): void {
  metadata.byFolder = ref(new Map())
}
