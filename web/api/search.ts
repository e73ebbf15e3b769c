import type { Contract } from '#contract/index.ts'
import type { Output } from '#contract/schema/endpoint.ts'
import { addressOf } from './client.ts'
import { readNdjson } from './lines.ts'

/** One hit. Its path is relative to the searched folder, without a leading slash (contract/README.md#search). */
export type Hit = Output<Contract['GET /api/search/*']>[number]

/** One entry of a whole tree. */
type TreeEntry = Output<Contract['GET /api/resources/recursive/*']>[number]

/**
 * Searches below `folder` and yields hits as the server finds them. Stops when `signal` aborts or the caller stops
 * reading.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, closes the connection, or `signal` aborts.
 */
export function search(folder: string, query: string, signal: AbortSignal): AsyncGenerator<Hit[]> {
  return readNdjson<Hit>(addressOf('/api/search/*', { '*': folder }, { query }), signal)
}

/** Yields everything below `folder` as it is found. @throws ApiProblem as `search`. */
export function entriesBelow(folder: string, signal: AbortSignal): AsyncGenerator<TreeEntry[]> {
  return readNdjson<TreeEntry>(addressOf('/api/resources/recursive/*', { '*': folder }), signal)
}
