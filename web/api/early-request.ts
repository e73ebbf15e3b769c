/** A request that was sent before the scripts of the page had arrived (`web/early.ts`). */
export interface EarlyRequest {
  url: string
  token: string
  response: Promise<Response>
  controller: AbortController
}

declare global {
  var earlyRequest: EarlyRequest | undefined
}

/**
 * Takes the response of the early request if it was sent for `url` with this token. Only the first request of the page
 * can be the same one: any other call cancels it.
 */
export function takeEarlyResponse(
  url: string,
  token: string,
  signal?: AbortSignal,
): Promise<Response> | undefined {
  const early = globalThis.earlyRequest
  if (early?.url !== url || early.token !== token || signal?.aborted) {
    cancelEarlyRequest()
    return undefined
  }
  globalThis.earlyRequest = undefined
  signal?.addEventListener('abort', () => early.controller.abort())
  return early.response
}

/** Cancels the early request if nothing has used it. */
export function cancelEarlyRequest(): void {
  globalThis.earlyRequest?.controller.abort()
  globalThis.earlyRequest = undefined
}
