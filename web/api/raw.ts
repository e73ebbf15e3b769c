import type { ArchiveAlgorithm } from '#contract/resources.ts'
import { ApiProblem, addressOf, api, connection, headers, refusal } from './client.ts'
import { publicPath, shareDownloadAddress, shareToken } from './link-address.ts'
import { origin, type Share } from './origin.ts'
import { isPreviewOnly } from './preview-only.ts'

/**
 * The address of the file at `path` for the browser itself. A download must start within 60 s
 * (contract/README.md#sessions); in a share, while the share is unlocked. With `inline` the browser shows the file
 * instead of saving it.
 *
 * @throws ApiProblem when the file may not be downloaded.
 */
export async function rawAddress(path: string, inline: boolean): Promise<string> {
  if (origin.link && inline && isPreviewOnly()) return smallerAddress(origin.link, path)
  if (origin.link) return shareDownloadAddress(origin.link, path, inline ? { inline: 'true' } : {})
  const { ticket } = await api('POST /api/ticket', { body: { action: 'raw', path } })
  return addressOf('/api/raw/*', { '*': path }, { auth: ticket, ...(inline && { inline: 'true' }) })
}

/**
 * The address of one archive of `names` in the folder at `path`, or of the whole folder if `names` is empty. The
 * download must start within 60 s and may take longer.
 *
 * @throws ApiProblem when nothing may be downloaded here.
 */
export async function archiveAddress(
  path: string,
  names: readonly string[],
  algorithm: ArchiveAlgorithm,
): Promise<string> {
  const { link } = origin
  if (link) return shareDownloadAddress(link, path, { algo: algorithm, ...(await selectionOf(names)) })
  const { ticket } = await api('POST /api/ticket', { body: { action: 'raw', path } })
  const chosen = await selectionOf(names)
  return addressOf('/api/raw/*', { '*': path }, { auth: ticket, algo: algorithm, ...chosen })
}

/**
 * A name may contain a comma, so each is encoded before they are joined
 * (contract/compatibility.md#downloads-and-archives).
 */
export function namesInAddress(names: readonly string[]): string {
  return names.map(encodeURIComponent).join(',')
}

// Many proxies refuse addresses of more than 4 or 8 KiB. Names are encoded twice in an address.
const maxLengthInAddress = 1500

/** The query that selects names for a download: the names, or, if they are too long, an id that is valid for 60 s. */
export async function selectionOf(names: readonly string[]): Promise<{ files?: string; selection?: string }> {
  const files = namesInAddress(names)
  if (files.length <= maxLengthInAddress) return files ? { files } : {}
  let stored: { selection?: string } = {}
  for (const some of batchesOf(names)) {
    stored = await api('POST /api/public/selection', { body: { files: namesInAddress(some), ...stored } })
  }
  return stored
}

// A body before sign-in has at most 64 KiB. A name has at most 255 bytes, which are 765 when encoded.
const maxBatchLength = 60 * 1024

/** Splits the names into batches that a visitor may send. */
function batchesOf(names: readonly string[]): string[][] {
  const batches: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const name of names) {
    const more = encodeURIComponent(name).length + 1
    length += more
    if (length > maxBatchLength) {
      batches.push([])
      length = more
    }
    batches.at(-1)?.push(name)
  }
  return batches
}

/**
 * Reads the file at `path` into a Blob with the media type `type`, whatever its content.
 *
 * @throws ApiProblem when the file may not be read, cannot be reached, or `signal` aborts.
 */
export async function rawBlob(path: string, type: string, signal: AbortSignal): Promise<Blob> {
  const { link } = origin
  const address = link ? shareDownloadAddress(link, path) : addressOf('/api/raw/*', { '*': path })
  const { token } = connection
  try {
    const response = await fetch(address, { headers: headers(), signal })
    if (!response.ok) throw refusal(response.status, await response.text(), token)
    return new Blob([await response.blob()], { type })
  } catch (error) {
    if (error instanceof ApiProblem) throw error
    throw new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', String(error))
  }
}

/** The address of a smaller version of a picture. */
function smallerAddress(link: Share, path: string): string {
  const params = { size: 'big', ...publicPath(link, path) }
  return addressOf('/api/public/preview/:size/*', params, shareToken(link))
}
