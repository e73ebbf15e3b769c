import type { ArchiveAlgorithm } from '#contract/resources.ts'
import { ApiProblem, addressOf, api, connection, headers, refusal } from './client.ts'
import { linkAddress } from './link-address.ts'
import { origin } from './origin.ts'

/**
 * An address the browser itself may open for the bytes of the file at `path`, good for 60 s to start (contract/README.md#sessions), and
 * behind a link as long as the link is open.
 * `inline` shows instead of saving.
 *
 * @throws ApiProblem when the file may not be downloaded.
 */
export async function rawAddress(path: string, inline: boolean): Promise<string> {
  if (origin.link) return linkAddress(origin.link, path, inline ? { inline: 'true' } : {})
  const { ticket } = await api('POST /api/ticket', { body: { action: 'raw', path } })
  return addressOf('/api/raw/*', { '*': path }, { auth: ticket, ...(inline && { inline: 'true' }) })
}

/**
 * An address the browser itself may open for one archive of `names` in the folder at `path`, or of the whole folder when
 * there are no names. Good for 60 s to start; what it started goes on.
 *
 * @throws ApiProblem when nothing may be downloaded here.
 */
export async function archiveAddress(
  path: string,
  names: readonly string[],
  algorithm: ArchiveAlgorithm,
): Promise<string> {
  const { link } = origin
  if (link) return linkAddress(link, path, { algo: algorithm, ...(await selectionOf(names)) })
  const { ticket } = await api('POST /api/ticket', { body: { action: 'raw', path } })
  const chosen = await selectionOf(names)
  return addressOf('/api/raw/*', { '*': path }, { auth: ticket, algo: algorithm, ...chosen })
}

/** A name may hold a comma: each is encoded by itself before they are joined (contract/compatibility.md#downloads-and-archives). */
export function namesInAddress(names: readonly string[]): string {
  return names.map(encodeURIComponent).join(',')
}

// Many proxies refuse an address of more than 4 or 8 KiB. Names are encoded twice in it.
const longestInAddress = 1500

/** What says in a download's address which names are meant: themselves, or for many an id that is good for 60 s. */
export async function selectionOf(names: readonly string[]): Promise<{ files?: string; selection?: string }> {
  const files = namesInAddress(names)
  if (files.length <= longestInAddress) return files ? { files } : {}
  let kept: { selection?: string } = {}
  for (const some of batchesOf(names)) {
    kept = await api('POST /api/public/selection', { body: { files: namesInAddress(some), ...kept } })
  }
  return kept
}

// A body before sign-in has 64 KiB at most. No name is longer than 255 bytes, which are 765 when they are encoded.
const longestBatch = 60 * 1024

/** The names in batches that a visitor may send. */
function batchesOf(names: readonly string[]): string[][] {
  const batches: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const name of names) {
    const more = encodeURIComponent(name).length + 1
    length += more
    if (length > longestBatch) {
      batches.push([])
      length = more
    }
    batches.at(-1)?.push(name)
  }
  return batches
}

/**
 * The bytes of the file at `path`, in the browser, as something of the media type `type`, whatever they are.
 *
 * @throws ApiProblem when the file may not be read, is not reached, or `signal` aborts.
 */
export async function rawBlob(path: string, type: string, signal: AbortSignal): Promise<Blob> {
  const { link } = origin
  const address = link ? linkAddress(link, path) : addressOf('/api/raw/*', { '*': path })
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
