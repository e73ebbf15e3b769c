import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import type { FileView } from '#contract/resources.ts'
import { readResource } from '#web/api/origin.ts'
import { files, setSurroundingFolder } from '#web/features/files/state/files-state.ts'
import { neighbour, sequenceTypes } from '#web/features/files/state/sequence.ts'
import { preloadPictures } from '#web/features/preview/picture/preload.ts'
import { parentOf } from '#web/shared/paths.ts'

/** Loads the list that contains `file` if it was opened without it: by its address or from a search. */
export function useNeighbours({ path, type }: FileView): void {
  const folder = parentOf(path)
  const hasSequence = sequenceTypes.includes(type)
  useEffect(() => {
    if (!hasSequence || (files.folder?.path === folder && !files.folder.expected)) return
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
