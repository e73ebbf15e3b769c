import { useEffect, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { previewOf } from '#web/api/preview.ts'
import { page } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'

/** The formats that the server reduces. */
const supported = /\.(jpe?g|jfif|png|gif|webp|avif|bmp)$/i

/**
 * The address of a reduced version of a picture; undefined until it is known, and if the server makes none. `isActive` is
 * false while it must wait.
 */
export function usePicture(item: Item | undefined, isActive: boolean): string | undefined {
  const isPicture = isActive && item?.type === 'image' && session.user?.perm.download
  const path = isPicture && supported.test(item.path) ? item.path : undefined
  const { modified = '' } = item ?? {}
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (path === undefined || !(page.ResizePreview || page.EnableThumbs)) return
    const controller = new AbortController()
    let shown: string | undefined
    previewOf(page.ResizePreview ? 'big' : 'thumb', { path, key: modified }, controller.signal).then(
      (blob) => {
        if (controller.signal.aborted) return
        shown = URL.createObjectURL(blob)
        setAddress(shown)
      },
      // The panel shows the icon.
      () => undefined,
    )
    return () => {
      controller.abort()
      if (shown) URL.revokeObjectURL(shown)
      setAddress(undefined)
    }
  }, [path, modified])
  return address
}
