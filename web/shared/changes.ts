type Listener = (folder: string | undefined) => void

const listeners = new Set<Listener>()

/** Tells every feature that the contents of `folder` (decoded, closing slash) have changed; undefined: of any. */
export function announceChange(folder: string | undefined): void {
  for (const listener of listeners) listener(folder)
}

/** Calls `listener` whenever a folder has changed; the answer ends that. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
