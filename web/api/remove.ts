import type { Output } from '#contract/endpoint.ts'
import type { Contract } from '#contract/index.ts'
import { addressOf, type FailureCode } from './client.ts'
import { lines } from './lines.ts'

/** What became of one thing that was to be deleted. */
type Removed = Output<Contract['POST /api/delete/*']>[number] & { code?: FailureCode }

/** Limits of one call, because the server limits request bodies. */
const most = { names: 10_000, characters: 200_000 }

/**
 * Deletes the things called `names` in `folder`, and hands over what became of each as the server goes on. Stops when
 * `signal` aborts.
 *
 * @throws ApiProblem when the server refuses, is not reached, breaks off, or `signal` aborts.
 */
export async function* removeAll(
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Removed[]> {
  for (const paths of calls(names)) {
    yield* lines<Removed>(addressOf('/api/delete/*', { '*': folder }), signal, { paths })
  }
}

function calls(names: readonly string[]): string[][] {
  const calls: string[][] = []
  let characters = most.characters
  for (const name of names) {
    characters += name.length
    if (characters > most.characters || calls.at(-1)?.length === most.names) {
      calls.push([])
      characters = name.length
    }
    calls.at(-1)?.push(name)
  }
  return calls
}
