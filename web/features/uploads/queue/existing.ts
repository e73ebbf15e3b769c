import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { parentOf } from '#web/shared/paths.ts'

type Found = ReadonlyMap<string, Item>

/** Looks up existing files and folders. Requests each folder only once. */
export interface ExistingItems {
  /** The item at `path` (decoded); undefined when there is none, or none that the user may see. */
  at(path: string): Promise<Item | undefined>
  /** The first file at a path where a parent folder of `path` is needed. */
  fileAbove(path: string): Promise<Item | undefined>
}

/**
 * Looks up existing items before an upload. `folder` (decoded, closing slash) is known to exist. Below it, only
 * existing folders are read, so that a new tree of a thousand folders costs one request.
 */
export function createExistingItems(folder: string): ExistingItems {
  const known = new Map<string, Promise<Found>>()
  const inside = (path: string): Promise<Found> => {
    const items = known.get(path) ?? read(path)
    known.set(path, items)
    return items
  }
  const read = async (path: string): Promise<Found> => {
    if (path !== folder && !(await at(path))?.isDir) return new Map()
    try {
      const resource = await api('GET /api/resources/*', { params: { '*': path }, query: {} })
      return new Map('items' in resource ? resource.items.map((item) => [item.name, item]) : [])
    } catch {
      // The upload into this folder will get the error from the server.
      return new Map()
    }
  }
  const at = async (path: string) => {
    const plain = path.replace(/\/$/, '')
    return (await inside(parentOf(plain))).get(plain.slice(plain.lastIndexOf('/') + 1))
  }
  const fileAbove = async (path: string): Promise<Item | undefined> => {
    const parent = parentOf(path)
    if (!parent.startsWith(folder) || parent === folder) return undefined
    const parentItem = await at(parent)
    return parentItem && !parentItem.isDir ? parentItem : fileAbove(parent)
  }
  return { at, fileAbove }
}
