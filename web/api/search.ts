import type { Output } from '#contract/endpoint.ts'
import type { Contract } from '#contract/index.ts'
import { ApiProblem, addressOf, headers, refusal } from './client.ts'

/** One hit; its path is relative to the searched folder, without a leading slash (contract W7). */
export type Hit = Output<Contract['GET /api/search/*']>[number]

/**
 * Finds below `folder`, handing over hits as the server finds them. Stops when `signal` aborts.
 *
 * @throws ApiProblem when the server refuses, is not reached, breaks off, or `signal` aborts.
 */
export async function* search(folder: string, query: string, signal: AbortSignal): AsyncGenerator<Hit[]> {
  const address = addressOf('/api/search/*', { '*': folder }, { query })
  const lost = (error: Error) => {
    throw new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', error.message)
  }
  const response = await fetch(address, {
    headers: headers({ Accept: 'application/x-ndjson' }),
    signal,
  }).catch(lost)
  if (!response.ok || !response.body) throw refusal(response.status, await response.text())
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read().catch(lost)
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    // An empty line only says that the server is still looking.
    yield lines.filter(Boolean).map((line) => JSON.parse(line) as Hit)
  }
}
