import { ApiProblem, addressOf, api, connection, headers, refusal } from '#web/api/client.ts'

/** The content of a deleted file, of a file, or of an old version of a file. */
export type ContentSource =
  | { trash: string }
  | {
      /** Decoded, relative to the scope. */
      path: string
      /** The id of the version; missing: the current content. */
      version?: string
    }

function callOf(source: ContentSource): [address: string, params: Record<string, string>, Query] {
  if ('trash' in source) return ['/api/trash/:id/raw', { id: source.trash }, {}]
  const { path, version } = source
  return ['/api/raw/*', { '*': path }, version === undefined ? {} : { version }]
}

type Query = Record<string, string>

/**
 * The address of a content for the browser itself. A download must start within 60 s. With `inline` the browser shows
 * the file instead of saving it.
 *
 * @throws ApiProblem when the session has ended or the server cannot be reached.
 */
export async function contentAddress(source: ContentSource, inline: boolean): Promise<string> {
  // The ticket of an address without a path is for the path `/`.
  const path = 'trash' in source ? '/' : source.path
  const { ticket } = await api('POST /api/ticket', { body: { action: 'raw', path } })
  const [address, params, query] = callOf(source)
  return addressOf(address, params, { ...query, auth: ticket, ...(inline && { inline: 'true' }) })
}

/**
 * The address that downloads the records of the audit log which match `query`, for the browser itself.
 *
 * @throws ApiProblem when the session has ended or the server cannot be reached.
 */
export async function auditExportAddress(query: Query): Promise<string> {
  const { ticket } = await api('POST /api/ticket', { body: { action: 'raw', path: '/' } })
  return addressOf('/api/audit/export', {}, { ...query, auth: ticket })
}

/**
 * Reads at most `maxBytes` bytes from the start of a content. `isWhole` is false if there are more.
 *
 * @throws ApiProblem when the content may not be read, cannot be reached, or `signal` aborts.
 */
export async function readStart(
  source: ContentSource,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const [address, params, query] = callOf(source)
  const { token } = connection
  try {
    const response = await fetch(addressOf(address, params, query), { headers: headers(), signal })
    if (!response.ok) throw refusal(response.status, await response.text(), token)
    return await firstBytes(response.body, maxBytes)
  } catch (error) {
    if (error instanceof ApiProblem) throw error
    throw new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', String(error))
  }
}

/** Stops the transfer after `maxBytes`. A range is not requested, because an empty file has none. */
async function firstBytes(body: ReadableStream<Uint8Array> | null, maxBytes: number) {
  const bytes = new Uint8Array(await new Response(limited(body, maxBytes + 1)).arrayBuffer())
  return { bytes: bytes.subarray(0, maxBytes), isWhole: bytes.length <= maxBytes }
}

function limited(body: ReadableStream<Uint8Array> | null, maxBytes: number): ReadableStream | null {
  let left = maxBytes
  return (
    body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk.subarray(0, left))
          left -= Math.min(left, chunk.length)
          if (left === 0) controller.terminate()
        },
      }),
    ) ?? null
  )
}
