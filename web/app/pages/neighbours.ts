import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import type { FileView, Item } from '#contract/resources.ts'
import { readResource } from '#web/api/origin.ts'
import { files, setSurroundingFolder } from '#web/features/files/state/files-state.ts'
import { preloadPictures } from '#web/features/preview/picture/preload.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'

/** Types of files with a previous and a next file. Texts have none. */
const sequenceTypes: readonly string[] = ['image', 'video', 'audio', 'pdf', 'blob']

/**
 * The file after (1) or before (-1) the requested one, which may still be loading, in the list that contains `file`;
 * undefined at the ends of the list or without a list.
 */
export function neighbour(file: FileView, by: 1 | -1): Item | undefined {
  const row = rowOf(file)
  const at = placeIn(row, files.path)
  return at < 0 ? undefined : row[at + by]
}

/** The position of the file, counted from 1, and the number of files in its sequence; undefined if it is not in one. */
export function positionOf(file: FileView): { at: number; count: number } | undefined {
  const row = rowOf(file)
  const at = placeIn(row, file.path) + 1
  return at > 0 ? { at, count: row.length } : undefined
}

/** Loads the list that contains `file` if it was opened without it: by its address or from a search. */
export function useNeighbours({ path, type }: FileView): void {
  const folder = parentOf(path)
  const hasSequence = sequenceTypes.includes(type)
  useEffect(() => {
    if (!hasSequence || files.folder?.path === folder) return
    const controller = new AbortController()
    const { signal } = controller
    readResource(folder, { signal })
      .then((response) => {
        if ('items' in response && !signal.aborted) setSurroundingFolder(folder, response)
      })
      // If the user may not read the folder, the file has no neighbours.
      .catch(() => undefined)
    return () => controller.abort()
  }, [folder, hasSequence])
}

/** Loads the next and the previous picture ahead, so that they are there when the key is pressed. */
export function usePreloading(file: FileView, mayDownload: boolean): void {
  const { folder, path } = useSnapshot(files)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the neighbours depend on the list, too.
  useEffect(() => {
    if (file.type !== 'image' || !mayDownload || path !== file.path) return
    const controller = new AbortController()
    // The shown picture is first.
    const timer = setTimeout(() => {
      const around = [neighbour(file, 1), neighbour(file, -1)].filter((item) => item !== undefined)
      void preloadPictures(around, controller.signal)
    }, 300)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [file, mayDownload, path, folder?.items])
}

function placeIn(row: readonly Item[], path: string): number {
  if (files.folder?.path !== parentOf(path)) return -1
  return row.findIndex((item) => item.name === nameOf(path))
}

function rowOf(file: FileView): readonly Item[] {
  if (files.folder?.path !== parentOf(file.path) || !sequenceTypes.includes(file.type)) return []
  return files.folder.items.filter((item) => !item.isDir && sequenceTypes.includes(item.type))
}
