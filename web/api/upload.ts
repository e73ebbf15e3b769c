import { ApiProblem, addressOf, connection, headers, refusal, renew } from './client.ts'

export interface Upload {
  /** Decoded path from the scope. */
  path: string
  body: Blob
  /** Replace what is there; otherwise it is a refusal. */
  override: boolean
  signal: AbortSignal
  /** Bytes sent so far. */
  onProgress(sent: number): void
}

/**
 * Sends one file. By XMLHttpRequest, because `fetch` cannot tell how much has been sent.
 *
 * @throws ApiProblem `path.exists` when something is there and `override` is false.
 */
export function upload({ path, body, override, signal, onProgress }: Upload): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', addressOf('/api/resources/*', { '*': path }, { override: String(override) }))
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value)
    request.upload.onprogress = (event) => onProgress(event.loaded)
    const abort = () => request.abort()
    signal.addEventListener('abort', abort)
    request.onloadend = () => {
      signal.removeEventListener('abort', abort)
      if (request.getResponseHeader('X-Renew-Token') === 'true') void renew()
      const failure = failureOf(request, signal)
      if (failure) reject(failure)
      else resolve()
    }
    if (signal.aborted) return reject(new ApiProblem(0, 'network.aborted', 'cancelled'))
    request.send(body)
  })
}

function failureOf(request: XMLHttpRequest, signal: AbortSignal): ApiProblem | undefined {
  if (request.status >= 200 && request.status < 300) return undefined
  if (signal.aborted) return new ApiProblem(0, 'network.aborted', 'cancelled')
  if (request.status) return refusal(request.status, request.responseText)
  return new ApiProblem(0, 'network.lost', `no answer from ${connection.baseUrl || '/'}`)
}
