import type { Text } from '@codemirror/state'

/** Unsaved changes, and the ETag of the version that they are based on. */
interface Draft {
  doc: Text
  etag: string
}

/**
 * Unsaved changes of an editor that closed without a question because the session ended. They stay in the memory of
 * this tab until the same user opens the file again.
 */
const drafts = new Map<string, Draft>()

/** Stores the unsaved text of the user `owner` for the file at `path`. */
export function storeDraft(owner: number, path: string, draft: Draft): void {
  drafts.set(`${owner} ${path}`, draft)
}

/** Returns and removes the stored draft. */
export function takeDraft(owner: number, path: string): Draft | undefined {
  const key = `${owner} ${path}`
  const draft = drafts.get(key)
  drafts.delete(key)
  return draft
}
