/** What has changed on the server, whoever has changed it. */
export interface LiveChange {
  /** Decoded, with a closing slash. */
  folder: string
  /** The names that have changed in it; undefined: too many, or unknown. */
  names: readonly string[] | undefined
  /** Everything below the folder may have changed, too. */
  isDeep: boolean
}

type Listener = (change: LiveChange) => void

const listeners = new Set<Listener>()

/** Calls `listener` whenever something has changed on the server. Returns a function that unsubscribes. */
export function onLiveChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Notifies every listener. */
export function announceLiveChange(change: LiveChange): void {
  for (const listener of listeners) listener(change)
}

/** Whether the entry `name` of `folder` may have changed. */
export function mayConcern(
  { folder: changed, names, isDeep }: LiveChange,
  folder: string,
  name: string,
): boolean {
  if (isDeep && folder.startsWith(changed)) return true
  return folder === changed && (names === undefined || names.includes(name))
}

/** Whether the list of `folder` may have changed. */
export function mayConcernList({ folder: changed, isDeep }: LiveChange, folder: string): boolean {
  return changed === folder || (isDeep && folder.startsWith(changed))
}

const trashListeners = new Set<() => void>()

/** Calls `listener` whenever the trash may have changed. Returns a function that unsubscribes. */
export function onTrashChange(listener: () => void): () => void {
  trashListeners.add(listener)
  return () => trashListeners.delete(listener)
}

/** Notifies every listener of the trash. */
export function announceTrashChange(): void {
  for (const listener of trashListeners) listener()
}

type UnreadListener = (unread: number | undefined) => void

const unreadListeners = new Set<UnreadListener>()

/**
 * Calls `listener` whenever the notices of the user may have changed, with the number of unread ones; undefined: unknown.
 * Returns a function that unsubscribes.
 */
export function onUnreadChange(listener: UnreadListener): () => void {
  unreadListeners.add(listener)
  return () => unreadListeners.delete(listener)
}

/** Notifies every listener of the notices. */
export function announceUnread(unread?: number): void {
  for (const listener of unreadListeners) listener(unread)
}
