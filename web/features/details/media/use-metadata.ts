import { useEffect, useState } from 'react'
import type { FileMetadata } from '#contract/metadata.ts'
import type { Item } from '#contract/resources.ts'
import { readFileMetadata } from '#web/api/metadata.ts'
import { origin } from '#web/api/origin.ts'
import { permissions } from '#web/shared/session.ts'

const media = ['image', 'audio', 'video']

/**
 * The metadata of a photo, music or a video; undefined until it is known. `isActive` is false while it must wait. It is
 * in the content of the file, so it needs the permission to download.
 */
export function useMetadata(item: Item | undefined, isActive: boolean): FileMetadata | undefined {
  const isMedia = item !== undefined && !item.isDir && media.includes(item.type)
  const path = isMedia && isActive && !origin.link && permissions().download ? item.path : undefined
  const key = `${path}\n${item?.modified}\n${item?.size}`
  const [found, setFound] = useState<{ key: string; about: FileMetadata }>()
  useEffect(() => {
    if (path === undefined) return
    const controller = new AbortController()
    readFileMetadata(path, controller.signal).then(
      (about) => controller.signal.aborted || setFound({ key, about }),
      // The panel shows what the list knows.
      () => undefined,
    )
    return () => controller.abort()
  }, [path, key])
  return found?.key === key ? found.about : undefined
}
