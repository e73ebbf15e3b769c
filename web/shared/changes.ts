import { parentOf } from './paths.ts'

/** A file or folder that was renamed or moved. Decoded paths, without closing slashes. */
export interface Move {
  from: string
  to: string
}

/** What this page has changed in the user's own files. All paths are decoded. */
export interface FilesChange {
  /** The folders whose entries have changed, with closing slashes; undefined: any folder. */
  folders: readonly string[] | undefined
  /** In the order in which they were moved. */
  moved?: readonly Move[]
  /** What is gone. */
  removed?: readonly string[]
  /** What the change has made. The list loads at once and selects what it shows of it. */
  results?: readonly string[]
  /** The selection gives way only if it has no other names than these; undefined: always. */
  replaces?: ReadonlySet<string>
  /** An open picture or recording that was moved or is gone gives way to the next one of its folder. */
  turnsOn?: boolean
}

type Listener = (change: FilesChange) => void | Promise<void>

const listeners = new Set<Listener>()

/**
 * Notifies everything that shows files: the list, the selection, the address, the tree, starred and recent files, and the
 * player of music. Returns when they have followed.
 */
export async function announceFiles(change: FilesChange): Promise<void> {
  await Promise.all([...listeners].map((listener) => listener(change)))
}

/** Notifies them that the content of `folder` (decoded, closing slash) has changed; undefined: any folder. */
export function announceChange(folder: string | undefined): void {
  void announceFiles({ folders: folder === undefined ? undefined : [folder] })
}

/** Calls `listener` whenever this page has changed files. Returns a function that unsubscribes. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A move of the item at `path` to `target`, as in `moved`. The paths of folders may have closing slashes. */
export function moveOf(path: string, target: string): Move {
  return { from: path.replace(/\/$/, ''), to: target.replace(/\/$/, '') }
}

/** Whether `path` is `item`, or is inside of the folder `item`. */
export function isWithin(path: string, item: string): boolean {
  const trimmed = item.replace(/\/$/, '')
  return path === trimmed || path.startsWith(`${trimmed}/`)
}

/** Where the item at `path` is after these moves: of itself, or of folders around it. */
export function pathAfter(path: string, moved: readonly Move[] = []): string {
  return moved.reduce((now, { from, to }) => (isWithin(now, from) ? to + now.slice(from.length) : now), path)
}

/** The folders of these items, each once. */
export function foldersOf(items: readonly string[]): readonly string[] {
  return [...new Set(items.map(parentOf))]
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
