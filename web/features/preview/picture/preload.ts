import type { Item } from '#contract/resources.ts'
import { rawAddress } from '#web/api/raw.ts'

/** Larger pictures are not loaded ahead, in bytes. */
const maxBytes = 24 * 1024 * 1024

/** Addresses expire after a minute, in milliseconds. A picture that has loaded can be shown again for longer. */
const maxAgeMs = 50_000

interface Preloaded {
  address: string
  /** Kept, because the browser forgets a decoded picture that no element holds. */
  image: HTMLImageElement
  at: number
}

const preloaded = new Map<string, Preloaded>()
const keyOf = ({ path, modified }: Pick<Item, 'path' | 'modified'>) => `${modified} ${path}`

/** Loads and decodes the neighbours of the shown picture, the next one first. Forgets all others. */
export async function preloadPictures(items: readonly Item[], signal: AbortSignal): Promise<void> {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  const wanted = items.filter(({ type, size }) => type === 'image' && size <= maxBytes)
  const keys = new Set(wanted.map(keyOf))
  for (const key of preloaded.keys()) if (!keys.has(key)) preloaded.delete(key)
  if (connection?.saveData) return
  for (const item of wanted) {
    if (signal.aborted) return
    if (!preloaded.has(keyOf(item))) await preload(item).catch(() => undefined)
  }
}

async function preload(item: Item): Promise<void> {
  const address = await rawAddress(item.path, true)
  const image = new Image()
  image.src = address
  preloaded.set(keyOf(item), { address, image, at: Date.now() })
  await image.decode()
}

/** The address of a picture that was loaded ahead; undefined if it was not, or if its address has expired. */
export function preloadedAddress(file: Pick<Item, 'path' | 'modified'>): string | undefined {
  const found = preloaded.get(keyOf(file))
  if (!found) return undefined
  return found.image.complete || Date.now() - found.at < maxAgeMs ? found.address : undefined
}
