import type { PreviewSize } from '#contract/previews.ts'
import { addressOf, connection, headers, refusal, renew } from './client.ts'
import { publicPath, shareToken } from './link-address.ts'
import { origin } from './origin.ts'

/**
 * A smaller version of the picture at `path`: `thumb` is square, `tile` and `big` show the whole picture. `key` is any
 * value that changes with the file.
 *
 * @throws ApiProblem when there is none, and the error of fetch when `signal` aborts.
 */
export async function previewOf(
  size: PreviewSize,
  { path, key }: { path: string; key: string },
  signal: AbortSignal,
): Promise<Blob> {
  // The token is sent as a header. An address would need a ticket for each of fifty pictures.
  const { link } = origin
  const address = link
    ? addressOf(
        '/api/public/preview/:size/*',
        { size, ...publicPath(link, path) },
        { ...shareToken(link), key },
      )
    : addressOf('/api/preview/:size/*', { size, '*': path }, { key })
  const { token } = connection
  const response = await fetch(address, { headers: headers(), signal })
  if (response.headers.get('X-Renew-Token') === 'true') void renew()
  if (!response.ok) throw refusal(response.status, await response.text(), token)
  return response.blob()
}
