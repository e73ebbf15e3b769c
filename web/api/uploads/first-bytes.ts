import { addressOf, headers } from '#web/api/client.ts'

/**
 * Reads the first bytes of the file at `path`. Returns undefined when that fails, and for a folder.
 *
 * @param count the maximum number of bytes
 */
export async function firstBytes(path: string, count: number): Promise<Uint8Array | undefined> {
  const range = { Range: `bytes=0-${count - 1}` }
  const response = await fetch(addressOf('/api/raw/*', { '*': path }), { headers: headers(range) }).catch(
    () => undefined,
  )
  // The server ignores a range of an empty file.
  if (response?.status === 200 && response.headers.get('Content-Length') === '0') return new Uint8Array()
  if (response?.status === 206) return new Uint8Array(await response.arrayBuffer())
  void response?.body?.cancel()
  return undefined
}
