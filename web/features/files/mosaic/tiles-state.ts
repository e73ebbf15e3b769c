import { proxy } from 'valtio'
import { readStored, writeStored } from '#web/shared/preferences.ts'

/** The smallest and the largest width of a tile, in pixels. */
export const tileSizes = { min: 120, max: 320 } as const

const standardSize = 200

/** How the mosaic shows its tiles: their width in pixels, and whether names are shown. Stored on this device. */
export const tiles = proxy(parseTiles(readStored('tiles')))

/** The stored `200 names` or `200`; anything else is the standard. */
export function parseTiles(stored: string | undefined): { size: number; hasNames: boolean } {
  const [, size, names] = /^(\d{3})( names)?$/.exec(stored ?? '') ?? []
  if (size === undefined) return { size: standardSize, hasNames: true }
  return { size: limited(Number(size)), hasNames: names !== undefined }
}

/** Sets the width of tiles, within the limits. */
export function setTileSize(size: number): void {
  tiles.size = limited(size)
  store()
}

/** Shows or hides the names of pictures. */
export function toggleNames(): void {
  tiles.hasNames = !tiles.hasNames
  store()
}

function limited(size: number): number {
  return Math.max(tileSizes.min, Math.min(tileSizes.max, size))
}

function store(): void {
  writeStored('tiles', `${Math.round(tiles.size)}${tiles.hasNames ? ' names' : ''}`)
}
