import { useEffect, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { readStart } from '#web/api/history/kept.ts'
import { previewOf } from '#web/api/preview.ts'
import { page } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'
import { type PictureSize, pictureSizeOf, turnedLike } from './picture-size.ts'

/** The formats that the server reduces. */
const supported = /\.(jpe?g|jfif|png|gif|webp|avif|bmp)$/i
/** Enough for the size, also after large metadata, in bytes. */
const startBytes = 128 * 1024

interface Picture {
  /** The address of a reduced version. */
  address?: string
  size?: PictureSize
}

/** A reduced version and the size of a picture, each as soon as it is known. `isActive` is false while it must wait. */
export function usePicture(item: Item | undefined, isActive: boolean): Picture {
  const isPicture = isActive && item?.type === 'image' && session.user?.perm.download
  const path = isPicture ? item.path : undefined
  const { modified = '' } = item ?? {}
  const [picture, setPicture] = useState<Picture>({})
  useEffect(() => {
    if (path === undefined) return
    const controller = new AbortController()
    let address: string | undefined
    void read(path, modified, controller.signal).then((found) => {
      if (controller.signal.aborted) return
      address = found.blob && URL.createObjectURL(found.blob)
      setPicture({ ...(address && { address }), ...(found.size && { size: found.size }) })
    })
    return () => {
      controller.abort()
      if (address) URL.revokeObjectURL(address)
      setPicture({})
    }
  }, [path, modified])
  return picture
}

async function read(path: string, modified: string, signal: AbortSignal) {
  const [blob, stored] = await Promise.all([reduced(path, modified, signal), readSize(path, signal)])
  // A thumbnail is square, so it does not tell which side is the width.
  const upright = stored && blob && page.ResizePreview ? await bitmapOf(blob) : undefined
  return { blob, size: stored && turnedLike(stored, upright) }
}

/** Undefined if the browser cannot decode it. */
function bitmapOf(blob: Blob): Promise<ImageBitmap | undefined> {
  return createImageBitmap(blob).catch(() => undefined)
}

/** Undefined if the server makes no reduced version. The panel then shows the icon. */
async function reduced(path: string, modified: string, signal: AbortSignal): Promise<Blob | undefined> {
  if (!supported.test(path) || !(page.ResizePreview || page.EnableThumbs)) return undefined
  const size = page.ResizePreview ? 'big' : 'thumb'
  return previewOf(size, { path, key: modified }, signal).catch(() => undefined)
}

/** Undefined if it cannot be read. The panel then shows no dimensions. */
async function readSize(path: string, signal: AbortSignal): Promise<PictureSize | undefined> {
  const start = await readStart({ path }, startBytes, signal).catch(() => undefined)
  return start && pictureSizeOf(start.bytes)
}
