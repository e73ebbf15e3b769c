import { api } from '#web/api/client.ts'
import { firstBytes } from '#web/api/uploads/first-bytes.ts'
import { createExistingItems } from './existing.ts'

/** Maximum size of a file that is loaded into memory for a comparison, in bytes. */
const maxBytes = 512 * 1024 * 1024

/** Up to this size, the content itself is compared, in bytes. */
const smallBytes = 1024 * 1024

/**
 * Whether the file at `path` has exactly the content of `body`. False when that cannot be verified, for example a large
 * file in a page without HTTPS, where browsers compute no checksums.
 */
export async function isSameFile(path: string, body: Blob): Promise<boolean> {
  const isSame = body.size <= smallBytes ? await hasContent(path, body) : undefined
  if (isSame !== undefined) return isSame
  const there = await createExistingItems('/').at(path)
  if (there?.size !== body.size || there.isDir || body.size > maxBytes || !globalThis.crypto.subtle)
    return false
  const query = { checksum: 'sha256' } as const
  const resource = await api('GET /api/resources/*', { params: { '*': path }, query })
  const digest = await crypto.subtle.digest('SHA-256', await body.arrayBuffer())
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return 'checksums' in resource && resource.checksums?.sha256 === hex
}

/** Returns undefined when the content cannot be read. */
async function hasContent(path: string, body: Blob): Promise<boolean | undefined> {
  // One byte more shows that the file there is longer.
  const there = await firstBytes(path, body.size + 1)
  if (!there) return undefined
  const here = new Uint8Array(await body.arrayBuffer())
  return here.length === there.length && here.every((byte, at) => byte === there[at])
}
