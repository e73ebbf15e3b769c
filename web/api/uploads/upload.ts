import {
  ApiProblem,
  addressOf,
  connection,
  headers,
  type OnOperation,
  refusal,
  renew,
  reportOperation,
} from '#web/api/client.ts'

export interface Upload {
  /** Decoded path relative to the scope. */
  path: string
  body: Blob
  /** Replaces an existing file; otherwise the server refuses. */
  override: boolean
  signal: AbortSignal
  /** Bytes sent so far. */
  onProgress(sent: number): void
  /** Called with the id of the operation when the file has arrived. */
  onOperation: OnOperation
}

/**
 * Sends one file in one request.
 *
 * @throws ApiProblem `path.exists` when the name is taken and `override` is false.
 */
export async function upload({ path, override, ...rest }: Upload): Promise<void> {
  const address = addressOf('/api/resources/*', { '*': path }, { override: String(override) })
  await transmit({ method: 'POST', address, ...rest })
}

interface Transmission {
  method: 'POST' | 'GET' | 'PATCH'
  address: string
  /** Headers besides those that every call sends. */
  more?: Record<string, string>
  body?: Blob
  signal: AbortSignal
  /** Bytes sent so far. */
  onProgress?(sent: number): void
  onOperation?: OnOperation
}

/**
 * Sends bytes and returns the headers of the response. Uses XMLHttpRequest, because `fetch` does not report the
 * progress of an upload.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, or `signal` aborts.
 */
export function transmit(transmission: Transmission): Promise<(header: string) => string | null> {
  const { method, address, more, body, signal, onProgress, onOperation } = transmission
  const { token } = connection
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, address)
    for (const [name, value] of Object.entries(headers(more))) request.setRequestHeader(name, value)
    if (onProgress) request.upload.onprogress = (event) => onProgress(event.loaded)
    const abort = () => request.abort()
    signal.addEventListener('abort', abort)
    request.onloadend = () => {
      signal.removeEventListener('abort', abort)
      if (request.getResponseHeader('X-Renew-Token') === 'true') void renew()
      const failure = failureOf(request, token, signal)
      reportOperation(request.getResponseHeader('X-Operation'), failure, onOperation)
      if (failure) reject(failure)
      else resolve((header) => request.getResponseHeader(header))
    }
    if (signal.aborted) return reject(new ApiProblem(0, 'network.aborted', 'cancelled'))
    request.send(body ?? null)
  })
}

function failureOf(request: XMLHttpRequest, token: string, signal: AbortSignal): ApiProblem | undefined {
  if (request.status >= 200 && request.status < 300) return undefined
  if (signal.aborted) return new ApiProblem(0, 'network.aborted', 'cancelled')
  if (request.status) return refusal(request.status, request.responseText, token)
  return new ApiProblem(0, 'network.lost', `no answer from ${connection.baseUrl || '/'}`)
}
