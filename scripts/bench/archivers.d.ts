// Types of the parts of two untyped packages that the benchmark uses.
declare module 'yazl' {
  export class ZipFile {
    readonly outputStream: import('node:stream').Readable
    addFile(path: string, name: string, options: { compress: boolean }): void
    end(): void
  }
}
declare module 'tar-fs' {
  export function pack(folder: string): import('node:stream').Readable
}
