import { ApiProblem, connection, headers, type OnOperation, refusal, reportOperation } from './client.ts'

/**
 * Reads a response of newline-delimited JSON while it arrives. A call with a body is a POST.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, closes the connection, or `signal` aborts.
 */
export async function* readNdjson<T>(
  address: string,
  signal: AbortSignal,
  body?: Readonly<Record<string, unknown>>,
  onOperation?: OnOperation,
): AsyncGenerator<T[]> {
  const lost = (error: Error) => {
    throw new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', error.message)
  }
  const { token } = connection
  const response = await fetch(address, {
    headers: headers({
      Accept: 'application/x-ndjson, application/json;q=0.9',
      ...(body && { 'Content-Type': 'application/json' }),
    }),
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    signal,
  }).catch(lost)
  if (!response.ok || !response.body) throw refusal(response.status, await response.text(), token)
  reportOperation(response.headers.get('X-Operation'), undefined, onOperation)
  // A folder of the user called `recursive` is returned in place of that call.
  if (!response.headers.get('Content-Type')?.startsWith('application/x-ndjson')) {
    throw new ApiProblem(response.status, 'request.unknown', 'not the list that was asked for')
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(lost)
      if (done) return
      const texts = (rest + value).split('\n')
      rest = texts.pop() ?? ''
      // The server sends empty lines while it is still searching.
      yield texts.filter(Boolean).map((text) => JSON.parse(text) as T)
    }
  } finally {
    // Cancels the request if the caller stops early, so that the server stops, too.
    await reader.cancel().catch(() => undefined)
  }
}
