import type { Contract } from '#contract/index.ts'
import type { Output } from '#contract/schema/endpoint.ts'
import { addressOf, type FailureCode, type OnOperation } from './client.ts'
import { readNdjson } from './lines.ts'

/** The result for one deleted entry. */
type Removed = Output<Contract['POST /api/delete/*']>[number] & { code?: FailureCode }

/** Limits of one call, because the server limits request bodies. */
const max = { names: 10_000, characters: 200_000 }

interface Removal {
  signal: AbortSignal
  /** Deletes permanently instead of moving the entries to the trash. */
  isPermanent: boolean
  onOperation: OnOperation
}

/**
 * Deletes the entries `names` in `folder` and yields the results as the server sends them. Stops when `signal` aborts.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, closes the connection, or `signal` aborts.
 */
export async function* removeAll(
  folder: string,
  names: readonly string[],
  { signal, isPermanent, onOperation }: Removal,
): AsyncGenerator<Removed[]> {
  const address = addressOf('/api/delete/*', { '*': folder }, isPermanent ? { permanent: 'true' } : {})
  for (const paths of calls(names)) yield* readNdjson<Removed>(address, signal, { paths }, onOperation)
}

function calls(names: readonly string[]): string[][] {
  const calls: string[][] = []
  let characters = max.characters
  for (const name of names) {
    characters += name.length
    if (characters > max.characters || calls.at(-1)?.length === max.names) {
      calls.push([])
      characters = name.length
    }
    calls.at(-1)?.push(name)
  }
  return calls
}
