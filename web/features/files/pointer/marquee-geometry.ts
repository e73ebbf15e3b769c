interface Geometry {
  /** The height of an item, in pixels, as all others below. */
  height: number
  /** The height of a title. */
  title: number
  /** How many items there are, and which is the first file. */
  count: number
  firstFile: number
}

/**
 * The items of the list that a band touches.
 *
 * @param band its edges, counted from the top of the first item
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

/** How far the item at `index` is below the first one. */
export function offsetOf(index: number, { height, title, firstFile }: Omit<Geometry, 'count'>): number {
  return index * height + (index >= firstFile && firstFile > 0 ? title : 0)
}
