import type { Output } from '#contract/endpoint.ts'
import type { Contract } from '#contract/index.ts'
import { ApiProblem, addressOf, headers, refusal } from './client.ts'

/** One hit; its path is relative to the searched folder, without a leading slash (contract W7). */
export type Hit = Output<Contract['GET /api/search/*']>[number]

/** One entry of a whole tree. */
type TreeEntry = Output<Contract['GET /api/resources/recursive/*']>[number]

/**
 * Finds below `folder`, handing over hits as the server finds them. Stops when `signal` aborts, and when nobody takes more.
 *
 * @throws ApiProblem when the server refuses, is not reached, breaks off, or `signal` aborts.
 */
export function search(folder: string, query: string, signal: AbortSignal): AsyncGenerator<Hit[]> {
  return lines<Hit>(addressOf('/api/search/*', { '*': folder }, { query }), signal)
}

/** Everything below `folder`, as it is found. @throws ApiProblem as `search`. */
export function entriesBelow(folder: string, signal: AbortSignal): AsyncGenerator<TreeEntry[]> {
  return lines<TreeEntry>(addressOf('/api/resources/recursive/*', { '*': folder }), signal)
}

/** Reads an answer of one object a line while it comes. */
async function* lines<T>(address: string, signal: AbortSignal): AsyncGenerator<T[]> {
  const lost = (error: Error) => {
    throw new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', error.message)
  }
  const response = await fetch(address, {
    headers: headers({ Accept: 'application/x-ndjson' }),
    signal,
  }).catch(lost)
  if (!response.ok || !response.body) throw refusal(response.status, await response.text())
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
    // Who has enough lets the server stop, too.
    await reader.cancel().catch(() => undefined)
  }
}
