import { useEffect, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { previewOf } from '#web/api/preview.ts'
import { page } from '#web/shared/page.ts'

// Below this the picture itself is there as soon as a smaller one could be made.
const fromBytes = 2 * 1024 * 1024
const shown = /\.(jpe?g|jfif|png|webp|avif|bmp)$/i

/** An address of the picture made smaller, to look at while a large one is on its way; undefined: there is none. */
export function useFirstLook({ path, name, modified, size }: FileView): string | undefined {
  const [found, setFound] = useState<{ path: string; address: string }>()
  useEffect(() => {
    if (!page.ResizePreview || size < fromBytes || !shown.test(name)) return
    const controller = new AbortController()
    let address: string | undefined
    previewOf('big', { path, key: modified }, controller.signal).then(
      (blob) => {
        if (controller.signal.aborted) return
        address = URL.createObjectURL(blob)
        setFound({ path, address })
      },
      // The picture itself comes anyway, or says why not.
      () => {},
    )
    return () => {
      controller.abort()
      if (address) URL.revokeObjectURL(address)
    }
  }, [path, name, modified, size])
  return found?.path === path ? found.address : undefined
}
