type Listener = (folder: string | undefined) => void

const listeners = new Set<Listener>()

/** Notifies every listener that the content of `folder` (decoded, closing slash) has changed; undefined: any folder. */
export function announceChange(folder: string | undefined): void {
  for (const listener of listeners) listener(folder)
}

/** Calls `listener` whenever a folder has changed. Returns a function that unsubscribes. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const contentListeners = new Set<(path: string) => void>()

/** Notifies every listener that the file at `path` (decoded) has another content, which this page has not written. */
export function announceContent(path: string): void {
  for (const listener of contentListeners) listener(path)
}

/** Calls `listener` whenever a file has another content. Returns a function that unsubscribes. */
export function onContent(listener: (path: string) => void): () => void {
  contentListeners.add(listener)
  return () => contentListeners.delete(listener)
}

/** A text as the server has it. */
export interface KnownText {
  /** Decoded. */
  path: string
  content: string
  /** For `If-Match`. */
  etag: string
}

const textListeners = new Set<(text: KnownText) => void>()

/** Notifies every listener that the editor has saved a text, or has loaded it again. */
export function announceText(text: KnownText): void {
  for (const listener of textListeners) listener(text)
}

/** Calls `listener` whenever the editor has saved a text or loaded it again. Returns a function that unsubscribes. */
export function onText(listener: (text: KnownText) => void): () => void {
  textListeners.add(listener)
  return () => textListeners.delete(listener)
}
