import { api } from '#web/api/client.ts'
import { announceChange } from '#web/shared/changes.ts'
import { parentOf } from '#web/shared/paths.ts'

/** A text file as the server has it now. */
export interface Fetched {
  content: string
  etag: string
}

/**
 * Saves a text over the file at `path`, if that is still in the state `etag`; without one, whatever is there now.
 *
 * @returns the new state
 * @throws ApiProblem `path.changed` when somebody else has changed or deleted it.
 */
export async function saveText(path: string, text: string, etag?: string): Promise<string> {
  let fresh = ''
  await api(
    'PUT /api/resources/*',
    { params: { '*': path } },
    {
      bytes: text,
      headers: etag ? { 'If-Match': etag } : {},
      onEtag: (now) => {
        fresh = now
      },
    },
  )
  announceChange(parentOf(path))
  return fresh
}

/** Saves a text as a new file. @throws ApiProblem `path.exists` when there is one of that name. */
export async function saveTextAs(path: string, text: string): Promise<void> {
  await api('POST /api/resources/*', { params: { '*': path }, query: {} }, { bytes: text })
  announceChange(parentOf(path))
}

/** The text at `path` as it is now; undefined when it is no text any more. @throws ApiProblem `path.unknown` … */
export async function fetchText(path: string): Promise<Fetched | undefined> {
  let etag = ''
  const answer = await api(
    'GET /api/resources/*',
    { params: { '*': path }, query: {} },
    {
      onEtag: (now) => {
        etag = now
      },
    },
  )
  if ('items' in answer || answer.kind !== 'editor') return undefined
  return { content: answer.content ?? '', etag }
}
