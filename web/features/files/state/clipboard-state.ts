import { proxy, ref } from 'valtio'
import type { Item } from '#contract/resources.ts'

/** The properties of an item that a move or a copy needs. */
export type TransferItem = Pick<Item, 'name' | 'path' | 'isDir' | 'size' | 'modified'>

/** The cut or copied items, for a paste into another folder. */
export const clipboard = proxy({
  /** The kind of transfer, in the words of the API; undefined when the clipboard is empty. */
  kind: undefined as 'copy' | 'rename' | undefined,
  items: ref([]) as readonly TransferItem[],
  /** The paths of cut items, which are shown faded until they are pasted. */
  cut: ref(new Set<string>()) as ReadonlySet<string>,
})

/** Replaces the content of the clipboard; an empty list clears it. */
export function setClipboard(kind: 'copy' | 'rename', items: readonly TransferItem[]): void {
  clipboard.kind = items.length > 0 ? kind : undefined
  clipboard.items = ref([...items])
  clipboard.cut = ref(new Set(kind === 'rename' ? items.map((item) => item.path) : []))
}

/** Removes cut items from the clipboard. Copied items stay. Returns whether there were any. */
export function clearCutItems(): boolean {
  const had = clipboard.cut.size > 0
  if (had) setClipboard('rename', [])
  return had
}
