import { api } from '#web/api/client.ts'
import { createExistingItems } from './existing.ts'

/** Maximum size of a file that is loaded into memory for a comparison, in bytes. */
const maxBytes = 512 * 1024 * 1024

/**
 * Whether the file at `path` has exactly the content of `body`. False when that cannot be verified, for example in a
 * page without HTTPS, where browsers compute no checksums.
 */
export async function isSameFile(path: string, body: Blob): Promise<boolean> {
  const there = await createExistingItems('/').at(path)
  if (there?.size !== body.size || there.isDir || body.size > maxBytes || !globalThis.crypto.subtle)
    return false
  const query = { checksum: 'sha256' } as const
  const resource = await api('GET /api/resources/*', { params: { '*': path }, query })
  const digest = await crypto.subtle.digest('SHA-256', await body.arrayBuffer())
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return 'checksums' in resource && resource.checksums?.sha256 === hex
}
