import { proxy, ref } from 'valtio'
import type { Item } from '#contract/resources.ts'

/** What a move or a copy needs to know of a thing. */
export type Moved = Pick<Item, 'name' | 'path' | 'isDir' | 'size' | 'modified'>

/** What was cut or copied, to be pasted in another folder. */
export const clipboard = proxy({
  /** How it will be pasted, in the wire's words; undefined when there is nothing. */
  kind: undefined as 'copy' | 'rename' | undefined,
  items: ref([]) as readonly Moved[],
  /** The paths of what was cut: it looks like that until it is pasted. */
  cut: ref(new Set<string>()) as ReadonlySet<string>,
})

/** Takes `items` instead of what was there; none empties it. */
export function hold(kind: 'copy' | 'rename', items: readonly Moved[]): void {
  clipboard.kind = items.length > 0 ? kind : undefined
  clipboard.items = ref([...items])
  clipboard.cut = ref(new Set(kind === 'rename' ? items.map((item) => item.path) : []))
}

/** What was cut stays where it is. False when nothing was; what was copied can still be pasted. */
export function letGoOfCut(): boolean {
  const had = clipboard.cut.size > 0
  if (had) hold('rename', [])
  return had
}
