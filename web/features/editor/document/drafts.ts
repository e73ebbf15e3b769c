import type { Text } from '@codemirror/state'

/** Changes that were not saved when the page had to show something else, and the state of the file they were made to. */
interface Draft {
  doc: Text
  etag: string
}

/**
 * What nobody could be asked about, because the session ended under it. It stays in this tab, for the person who wrote
 * it, until they open the file again.
 */
const drafts = new Map<string, Draft>()

/** Keeps what the user `owner` wrote into the file at `path`. */
export function keepDraft(owner: number, path: string, draft: Draft): void {
  drafts.set(`${owner} ${path}`, draft)
}

/** Hands out what was kept, once. */
export function takeDraft(owner: number, path: string): Draft | undefined {
  const key = `${owner} ${path}`
  const draft = drafts.get(key)
  drafts.delete(key)
  return draft
}
