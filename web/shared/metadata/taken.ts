import type { EntryMetadata } from '#contract/metadata.ts'

/**
 * When a picture was taken, in milliseconds. Shown in the time zone of this device, it is the time of the camera, because
 * that is what people remember. Videos have only the time in UTC, which becomes the time here.
 */
export function takenMs({ taken = '' }: EntryMetadata = {}, isVideo = false): number | undefined {
  const ms = Date.parse(isVideo ? taken : taken.slice(0, 'YYYY-MM-DDTHH:mm:ss'.length))
  return Number.isNaN(ms) ? undefined : ms
}

/** The width divided by the height of an upright picture. */
export function shapeOf({ width = 0, height = 0 }: EntryMetadata = {}): number | undefined {
  return width > 0 && height > 0 ? width / height : undefined
}
