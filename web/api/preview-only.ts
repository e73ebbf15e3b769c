import { origin } from './origin.ts'

/**
 * Whether the page shows only smaller versions of pictures, and loads no original by itself. In a share that can only be
 * viewed, the server sends nothing else. In one with a number of downloads, looking must not use them up.
 */
export function isPreviewOnly(): boolean {
  const { rights, downloadsLeft } = origin.link?.offer ?? {}
  return rights === 'view' || downloadsLeft !== undefined
}
