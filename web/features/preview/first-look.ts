import { useEffect, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { previewOf } from '#web/api/preview.ts'
import { page } from '#web/shared/page.ts'

// Minimum file size. A smaller file loads as fast as the server could reduce it.
const minBytes = 2 * 1024 * 1024
const supported = /\.(jpe?g|jfif|png|webp|avif|bmp)$/i

/** The address of a reduced version, shown while a large picture loads; undefined when there is none. */
export function useReducedPicture({ path, name, modified, size }: FileView): string | undefined {
  const [found, setFound] = useState<{ path: string; address: string }>()
  useEffect(() => {
    if (!page.ResizePreview || size < minBytes || !supported.test(name)) return
    const controller = new AbortController()
    let address: string | undefined
    previewOf('big', { path, key: modified }, controller.signal).then(
      (blob) => {
        if (controller.signal.aborted) return
        address = URL.createObjectURL(blob)
        setFound({ path, address })
      },
      // Not an error: the picture itself loads, or its page shows why not.
      () => {},
    )
    return () => {
      controller.abort()
      if (address) URL.revokeObjectURL(address)
    }
  }, [path, name, modified, size])
  return found?.path === path ? found.address : undefined
}
