import { fetchWithRetry } from './fetch-part.ts'
import { applyLaterStyles } from './later-styles.ts'

let loadMessages = (): Promise<unknown> => Promise.resolve()

/** Sets how the messages of lazy chunks are loaded. Called once, before the first chunk is loaded. */
export function setMessageLoader(load: () => Promise<unknown>): void {
  loadMessages = load
}

/**
 * Loads a lazy chunk, and the messages and styles of all lazy chunks. A chunk must not wait for them itself: WebKit
 * breaks concurrent imports of modules with a top-level `await` (https://bugs.webkit.org/show_bug.cgi?id=242740).
 *
 * @throws the error of the second attempt, when code, messages or styles cannot be fetched.
 */
export async function loadLater<Part>(load: () => Promise<Part>): Promise<Part> {
  const [part] = await Promise.all([fetchWithRetry(load), loadMessages(), fetchWithRetry(applyLaterStyles)])
  return part
}
