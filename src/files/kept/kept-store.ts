import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Logger } from '#src/core/log/log.ts'
import type { FolderSite } from './kept-folder.ts'
import type { KeptRecord } from './kept-record.ts'

/** A folder for kept items on one disk, out of reach for every path. */
export interface KeptStore {
  /** Names this store in records: `state`, or the path of its disk relative to the served folder (`/` for that itself). */
  readonly key: string
  /**
   * Moves an entry in with one rename, after its record. A full disk may have no room for the record: then the entry
   * is moved without one, because deleting must work there.
   *
   * @throws the error of the system (EXDEV, ENOSPC …); then nothing has changed
   */
  take(id: string, address: string, record: KeptRecord): Promise<{ hasRecord: boolean }>
  /**
   * Keeps the content of a file that will be replaced: a hard link, or where links are impossible a rename. After a
   * rename, the name is free until the new content has it.
   *
   * @throws as `take`
   */
  keepOld(
    id: string,
    address: string,
    record: KeptRecord,
  ): Promise<{ by: 'link' | 'rename'; hasRecord: boolean }>
  /** The path for system calls of an item's content. */
  addressOf(id: string): string
  /** The stats of an item's content; undefined: it is not there. */
  find(id: string): Promise<Stats | undefined>
  /** Opens the content of a file for reading, never through a link. The caller closes it. @throws the system's error. */
  open(id: string): Promise<FileHandle>
  /**
   * Moves an item out to a name that must be free, and removes its record.
   *
   * @throws the error of the system; `EEXIST` when the name is taken. Then nothing has changed
   */
  putBack(id: string, address: string): Promise<void>
  /**
   * Replaces a file by the item: with the item's content, in one rename. The caller has kept the present content.
   *
   * @throws the error of the system; then nothing has changed
   */
  putOver(id: string, address: string): Promise<void>
  /**
   * Removes the extra link of a replacement that did not happen, and the record.
   *
   * @throws `EBUSY` when this is the only name of the content, so that removing it would lose the content
   */
  forget(id: string): Promise<void>
  /**
   * Renames an item so that it can only be deleted, also after a crash. Returns the function that deletes it, which may
   * take long. Undefined if there is no such item.
   */
  condemn(id: string): Promise<(() => Promise<void>) | undefined>
  /**
   * Deletes an item permanently. First it is renamed, and users no longer see it. Then its files are deleted, which may
   * take long; `resume` tries again to delete those that could not be deleted.
   */
  destroy(id: string): Promise<void>
  /**
   * All items with their records, for rebuilding. Record undefined: missing or damaged.
   *
   * @param isKnown leaves out items whose records need not be read
   */
  list(isKnown?: (id: string) => boolean): AsyncIterable<{ id: string; record: KeptRecord | undefined }>
  /** The ids of all files that are held back, with their records; they are not in `list`. */
  listHeld(): AsyncIterable<{ id: string; record: KeptRecord | undefined }>
  /** Size and free space of the disk in bytes; undefined: it is not there. */
  space(): Promise<{ total: number; free: number } | undefined>
  /** Finishes interrupted deletions, and removes records without content. */
  resume(): Promise<void>
}

/** What a store needs. */
export interface KeptStoreOptions {
  key: string
  /** Real path of the served folder. */
  root: string
  site: FolderSite
  /** Real path of the folder when the store was opened. */
  real: string
  /** Deletes a tree at an address, on a worker thread. */
  removeTree(address: string): Promise<unknown>
  log: Logger
}
