import { api } from '#web/api/client.ts'
import { lookAt } from './existing.ts'

/** The most that is read into memory to compare it, in bytes. */
const most = 512 * 1024 * 1024

/**
 * Whether the file at `path` holds exactly what `body` does; false where it cannot be proved, as in a browser that
 * computes no checksums because the page came without HTTPS.
 */
export async function isSameFile(path: string, body: Blob): Promise<boolean> {
  const there = await lookAt('/').at(path)
  if (there?.size !== body.size || there.isDir || body.size > most || !globalThis.crypto.subtle) return false
  const query = { checksum: 'sha256' } as const
  const answer = await api('GET /api/resources/*', { params: { '*': path }, query })
  const digest = await crypto.subtle.digest('SHA-256', await body.arrayBuffer())
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return 'checksums' in answer && answer.checksums?.sha256 === hex
}
