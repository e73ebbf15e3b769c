import { origin } from '#web/api/origin.ts'
import { readStored, writeStored } from '#web/shared/preferences.ts'

/** Shorter videos have no stored position, in seconds. */
const minLength = 5 * 60
/** This close to the end, a video was seen, in seconds. */
const nearEnd = 20
/** Closer to its start, a video starts anew, in seconds. */
const nearStart = 10
/** The oldest positions are forgotten. */
const maxEntries = 100

type Entry = [key: string, seconds: number]

/** A share has files of its own under the same paths. */
const keyOf = (path: string) => `${origin.link?.hash ?? ''}${path}`

/** Where the video at `path` was left, in seconds; 0 if nowhere. */
export function storedPosition(path: string): number {
  return entries().find(([key]) => key === keyOf(path))?.[1] ?? 0
}

/** Stores the position of a long video on this device, or forgets it at the start and near the end. In seconds. */
export function storePosition(path: string, seconds: number, length: number): void {
  if (!(length >= minLength)) return
  const others = entries().filter(([key]) => key !== keyOf(path))
  const isWithin = seconds >= nearStart && seconds < length - nearEnd
  const next: Entry[] = isWithin ? [[keyOf(path), Math.floor(seconds)], ...others] : others
  writeStored('positions', next.length > 0 ? JSON.stringify(next.slice(0, maxEntries)) : undefined)
}

function entries(): Entry[] {
  try {
    const stored: unknown = JSON.parse(readStored('positions') ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry) : []
  } catch {
    // Something else has written it: it is replaced.
    return []
  }
}

function isEntry(value: unknown): value is Entry {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number'
}
