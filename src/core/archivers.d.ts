// Types of the parts of two untyped packages that Coffer and its scripts use.
declare module 'yazl' {
  export class ZipFile {
    readonly outputStream: import('node:stream').Readable
    addFile(path: string, name: string, options: { compress: boolean }): void
    addBuffer(content: Uint8Array, name: string, options?: { mtime?: Date; mode?: number }): void
    end(): void
  }
}
declare module 'tar-fs' {
  /** The fields of an entry that may be changed. */
  export interface Header {
    name: string
    type: string
    mode: number
    uid: number
    gid: number
    mtime: Date
  }
  /** What `pack` needs to know about a file. */
  interface PackedStats {
    size: number
    mode: number
    mtime: Date
    uid: number
    gid: number
    isDirectory(): boolean
    isFile(): boolean
    isSocket(): boolean
    isSymbolicLink(): boolean
  }
  export function pack(
    folder: string,
    options?: {
      /** Paths in `folder`. */
      entries?: readonly string[]
      sort?: boolean
      umask?: number
      map?: (header: Header) => Header
      /** Replaces `node:fs`. */
      fs?: {
        lstat(path: string, callback: (error: Error | null, stats?: PackedStats) => void): void
        createReadStream(path: string): import('node:stream').Readable
      }
    },
  ): import('node:stream').Readable
  export function extract(
    folder: string,
    options?: { strip?: number; chown?: boolean; ignore?: (path: string, header: Header) => boolean },
  ): import('node:stream').Writable
}
