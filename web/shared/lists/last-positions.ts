// Where the user was in each folder. The list is shown there again when the user returns. Paths are decoded, with a closing
// slash.

/** Scroll positions, in pixels. */
export const scrollOffsets = new Map<string, number>()

const cursors = new Map<string, string>()

/** Puts the cursor on `name` the next time `folder` is shown. */
export function setNextCursor(folder: string, name: string): void {
  cursors.set(folder, name)
}

/** The name of the item at the cursor; undefined if the folder was not shown yet. */
export function lastCursor(folder: string): string | undefined {
  return cursors.get(folder)
}

/** Forgets all positions, before the files of another user are shown. */
export function forgetPositions(): void {
  scrollOffsets.clear()
  cursors.clear()
}
