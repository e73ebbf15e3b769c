type Listener = (from: string, to: string) => void

const listeners = new Set<Listener>()

/** Tells that the user has renamed or moved the file or folder `from` to `to`. Both are decoded. */
export function announceMove(from: string, to: string): void {
  for (const listener of listeners) listener(from.replace(/\/$/, ''), to.replace(/\/$/, ''))
}

/** Calls `listener` with paths without closing slashes after each move. Returns a function that unsubscribes. */
export function onMove(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
