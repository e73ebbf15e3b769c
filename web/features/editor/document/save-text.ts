import { api } from '#web/api/client.ts'
import { announceChange } from '#web/shared/changes.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { savedText } from '#web/shared/undo/change-text.ts'
import { recorded } from '#web/shared/undo/history.ts'

/** The current version of a text file on the server. */
export interface FetchedText {
  content: string
  etag: string
}

/**
 * Overwrites the file at `path` if its ETag is still `etag`. Without `etag`, overwrites any version.
 *
 * @returns the new ETag
 * @throws ApiProblem `path.changed` when someone else has changed or deleted it.
 */
export async function saveText(path: string, text: string, etag?: string): Promise<string> {
  let newEtag = ''
  await recorded(silently(path), (onOperation) =>
    api(
      'PUT /api/resources/*',
      { params: { '*': path } },
      {
        bytes: text,
        headers: etag ? { 'If-Match': etag } : {},
        onEtag: (now) => {
          newEtag = now
        },
        onOperation,
      },
    ),
  )
  announceChange(parentOf(path))
  return newEtag
}

/** Saves a text as a new file. @throws ApiProblem `path.exists` when the name is taken. */
export async function saveTextAs(path: string, text: string): Promise<void> {
  await recorded(silently(path), (onOperation) =>
    api('POST /api/resources/*', { params: { '*': path }, query: {} }, { bytes: text, onOperation }),
  )
  announceChange(parentOf(path))
}

/** The editor shows that it has saved, with Undo. A notice at each save would be in the way. */
function silently(path: string) {
  return { text: savedText(nameOf(path)), saved: path, isSilent: true }
}

/** Fetches the current text at `path`; undefined when it is no longer a text. @throws ApiProblem `path.unknown` … */
export async function fetchText(path: string): Promise<FetchedText | undefined> {
  let etag = ''
  const resource = await api(
    'GET /api/resources/*',
    { params: { '*': path }, query: {} },
    {
      onEtag: (now) => {
        etag = now
      },
    },
  )
  if ('items' in resource || resource.kind !== 'editor') return undefined
  return { content: resource.content ?? '', etag }
}
