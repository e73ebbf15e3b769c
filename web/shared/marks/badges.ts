import { proxy, ref } from 'valtio'

/** A note beside a name in a list, such as a draft, or a file that is published later. */
export interface Badge {
  text: string
  /** The rest of the text, which narrow screens hide. */
  detail: string
}

/** The badges of the files in one folder. A feature sets them; the list shows them. */
export const badges = proxy({
  /** The decoded path, with a closing slash. */
  folder: '',
  byName: ref<ReadonlyMap<string, Badge>>(new Map()),
})
