import { navigateTo, paths } from '#web/shared/paths.ts'

/** Items of one folder that a notice is about. */
export interface ItemsInFolder {
  /** Decoded, with a closing slash. */
  folder: string
  names: readonly string[]
}

let wanted: ItemsInFolder | undefined
let listener: (() => void) | undefined

/** Opens the folder of `items` and selects them there. */
export function showItems(items: ItemsInFolder): void {
  wanted = items
  navigateTo(paths.files(items.folder))
  // The folder may be open already. It then does not load again.
  listener?.()
}

/** Whether items of `folder` will be selected when it is shown. */
export function wantsNames(folder: string): boolean {
  return wanted?.folder === folder
}

/** The names to select in `folder`, once; undefined if there are none. */
export function takeWantedNames(folder: string): readonly string[] | undefined {
  if (wanted?.folder !== folder) return undefined
  const { names } = wanted
  wanted = undefined
  return names
}

/** Calls `shown` when items are wanted. The list of files follows it. */
export function onShowItems(shown: () => void): void {
  listener = shown
}
