import { ApiProblem, connection, headers, refusal } from './client.ts'

/**
 * Reads an answer of one object a line while it comes. With a body the call is a POST.
 *
 * @throws ApiProblem when the server refuses, is not reached, breaks off, or `signal` aborts.
 */
export async function* lines<T>(
  address: string,
  signal: AbortSignal,
  body?: Readonly<Record<string, unknown>>,
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
  // Somebody's own folder called `recursive` answers in the place of that call.
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
      // An empty line only says that the server is still looking.
      yield texts.filter(Boolean).map((text) => JSON.parse(text) as T)
    }
  } finally {
    // Cancels the request when the caller stops early, so that the server stops too.
    await reader.cancel().catch(() => undefined)
  }
}
