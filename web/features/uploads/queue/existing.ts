import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { parentOf } from '#web/shared/paths.ts'

type Found = ReadonlyMap<string, Item>

/** Tells what lies at a path now, without asking the server twice about one folder. */
export interface Existing {
  /** What is at `path` (decoded); undefined when there is nothing, or nothing that one may see. */
  at(path: string): Promise<Item | undefined>
  /** The first file that stands where a folder above `path` is needed. */
  fileAbove(path: string): Promise<Item | undefined>
}

/**
 * Looks at what is there before anything is sent. `folder` (decoded, closing slash) is known to exist; below it only
 * those folders are read that really are there, so that a new tree of a thousand folders costs one call.
 */
export function lookAt(folder: string): Existing {
  const known = new Map<string, Promise<Found>>()
  const inside = (path: string): Promise<Found> => {
    const found = known.get(path) ?? read(path)
    known.set(path, found)
    return found
  }
  const read = async (path: string): Promise<Found> => {
    if (path !== folder && !(await at(path))?.isDir) return new Map()
    try {
      const answer = await api('GET /api/resources/*', { params: { '*': path }, query: {} })
      return new Map('items' in answer ? answer.items.map((item) => [item.name, item]) : [])
    } catch {
      // Whatever is the matter with this folder, the upload into it will be told by the server itself.
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
    const there = await at(parent)
    return there && !there.isDir ? there : fileAbove(parent)
  }
  return { at, fileAbove }
}
