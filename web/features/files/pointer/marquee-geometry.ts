interface Geometry {
  /** The height of an item, in pixels like all other lengths. */
  height: number
  /** The height of a section title. */
  title: number
  /** The number of items, and the index of the first file. */
  count: number
  firstFile: number
}

/**
 * The items of the list that a vertical range touches.
 *
 * @param band the edges of the range, relative to the top of the first item
 * @returns the first and the last index; the last is smaller when there are none
 */
export function itemsInBand(band: { top: number; bottom: number }, geometry: Geometry): [number, number] {
  const { height, title, count, firstFile } = geometry
  const gap = firstFile === 0 ? 0 : title
  const foldersEnd = firstFile * height
  const fileAt = (y: number) => Math.floor((y - gap) / height)
  const from = band.top < foldersEnd ? Math.floor(band.top / height) : Math.max(firstFile, fileAt(band.top))
  const to =
    band.bottom < foldersEnd + gap
      ? Math.min(firstFile - 1, Math.floor(band.bottom / height))
      : fileAt(band.bottom)
  return [Math.max(0, from), Math.min(to, count - 1)]
}

/** The offset of the item at `index` from the first item. */
export function offsetOf(index: number, { height, title, firstFile }: Omit<Geometry, 'count'>): number {
  return index * height + (index >= firstFile && firstFile > 0 ? title : 0)
}
