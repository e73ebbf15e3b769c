import type { UploadResult } from '#contract/resources.ts'
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
import { modifiedMs } from './modified.ts'

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
 * Sends one file in one request. It keeps its date.
 *
 * @throws ApiProblem `path.exists` when the name is taken and `override` is false.
 */
export function upload({ path, override, ...rest }: Upload): Promise<Answer> {
  const address = addressOf('/api/resources/*', { '*': path }, { override: String(override) })
  const modified = modifiedMs(rest.body)
  const more = modified === undefined ? {} : { 'X-OC-Mtime': String(modified / 1000) }
  return transmit({ method: 'POST', address, more, ...rest })
}

/** Several small files for one request. */
export interface UploadMany {
  files: readonly { path: string; body: Blob }[]
  signal: AbortSignal
  /** Bytes of the files sent so far, in their order. */
  onProgress(sent: number): void
  /** Called with the id of the operation when a file has arrived. */
  onOperation: OnOperation
}

/**
 * Sends several new files in one request. A path that ends with a slash is a folder, with an empty body. Returns the
 * result for each. A file whose name is taken is refused.
 *
 * @throws ApiProblem when the server refuses the request, cannot be reached, or `signal` aborts. Some of the files may
 *   have arrived.
 */
export async function uploadMany({
  files,
  signal,
  onProgress,
  onOperation,
}: UploadMany): Promise<UploadResult[]> {
  const form = new FormData()
  for (const { path, body } of files) {
    const modified = modifiedMs(body)
    if (modified !== undefined) form.append('mtime', String(modified))
    form.append('file', body, path.split('/').map(encodeURIComponent).join('/'))
  }
  const bytes = files.reduce((sum, { body }) => sum + body.size, 0)
  const { responseText } = await transmit({
    method: 'POST',
    address: addressOf('/api/upload/*', { '*': '/' }),
    body: form,
    signal,
    // The form is a little longer than its files.
    onProgress: (sent, total) => onProgress(total > 0 ? Math.floor((sent / total) * bytes) : 0),
    onOperation,
  })
  return JSON.parse(responseText)
}

/** An answer of the server. */
export type Answer = Pick<XMLHttpRequest, 'getResponseHeader' | 'responseText'>

interface Transmission {
  method: 'POST' | 'GET' | 'PATCH' | 'DELETE'
  address: string
  /** Headers besides those that every call sends. */
  more?: Record<string, string>
  body?: Blob | FormData
  signal: AbortSignal
  /** Bytes sent so far, and in total. */
  onProgress?(sent: number, total: number): void
  onOperation?: OnOperation
  /** How long no further bytes may be sent, in milliseconds; undefined: as long as the browser waits. */
  noProgressMs?: number
}

/**
 * Sends bytes and returns the request with its response. Uses XMLHttpRequest, because `fetch` does not report the
 * progress of an upload.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, or `signal` aborts.
 */
export function transmit(transmission: Transmission): Promise<Answer> {
  const { method, address, more, body, signal, onOperation } = transmission
  const { token } = connection
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, address)
    for (const [name, value] of Object.entries(headers(more))) request.setRequestHeader(name, value)
    const abort = () => request.abort()
    const unwatch = watchProgress(request, transmission)
    signal.addEventListener('abort', abort)
    request.onloadend = () => {
      signal.removeEventListener('abort', abort)
      unwatch()
      if (request.getResponseHeader('X-Renew-Token') === 'true') void renew()
      const failure = failureOf(request, token, signal)
      reportOperation(request.getResponseHeader('X-Operation'), failure, onOperation)
      if (failure) reject(failure)
      else resolve(request)
    }
    if (signal.aborted) return reject(new ApiProblem(0, 'network.aborted', 'cancelled'))
    request.send(body ?? null)
  })
}

/** Reports the progress of the body, and aborts the request when there is none. Returns a function that ends the watch. */
function watchProgress(
  request: XMLHttpRequest,
  { onProgress, noProgressMs }: Pick<Transmission, 'onProgress' | 'noProgressMs'>,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const unwatch = () => clearTimeout(timer)
  const wait = () => {
    unwatch()
    if (noProgressMs !== undefined) timer = setTimeout(() => request.abort(), noProgressMs)
  }
  request.upload.onloadstart = wait
  request.upload.onprogress = ({ loaded, total }) => {
    wait()
    onProgress?.(loaded, total)
  }
  // Then the server works, for as long as it needs.
  request.upload.onload = unwatch
  return unwatch
}

function failureOf(request: XMLHttpRequest, token: string, signal: AbortSignal): ApiProblem | undefined {
  // A file that has arrived and is held back: 202 with a problem. Visitors get a receipt instead.
  const isHeld = request.status === 202 && isProblem(request)
  if (request.status >= 200 && request.status < 300 && !isHeld) return undefined
  if (signal.aborted) return new ApiProblem(0, 'network.aborted', 'cancelled')
  if (request.status) return orLost(request, refusal(request.status, request.responseText, token))
  return new ApiProblem(0, 'network.lost', `no answer from ${connection.baseUrl || '/'}`)
}

/** An error of a proxy says only that the server has not answered. A later or a shorter request may succeed. */
function orLost(request: XMLHttpRequest, problem: ApiProblem): ApiProblem {
  const isOfProxy = !isProblem(request)
  const isUnknown = problem.code === 'server.failed' && problem.status >= 500
  return isUnknown && isOfProxy ? new ApiProblem(problem.status, 'network.lost', problem.message) : problem
}

function isProblem(request: XMLHttpRequest): boolean {
  return request.getResponseHeader('Content-Type')?.startsWith('application/problem+json') === true
}
