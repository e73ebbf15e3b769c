import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import tarFs from 'tar-fs'
import { CommandProblem } from '#src/core/problem.ts'
import { version } from '#src/core/version.ts'
import { type BackupFile, type Manifest, manifestName, sha256, sumsName, sumsOf } from './manifest.ts'

/** The content of a file of a backup. It is read twice: for its checksum, and to be written. */
export interface Content {
  /** The name in the archive. */
  name: string
  read(): AsyncIterable<Uint8Array>
}

/** Returns content that is in memory. */
export function contentOf(name: string, bytes: Buffer): Content {
  return {
    name,
    async *read() {
      if (bytes.length > 0) yield bytes
    },
  }
}

/** Returns content that is a value, as JSON. */
export function jsonContent(name: string, value: unknown): Content {
  return contentOf(name, Buffer.from(JSON.stringify(value)))
}

type FilledContent = Content & Pick<BackupFile, 'size' | 'sha256'>

/**
 * Returns a backup as a stream: a tar archive with the manifest first and the checksums last. The stream fails if a
 * content is not the same at the second reading.
 *
 * @param check throws to refuse the backup
 */
export async function writeBackup(
  contents: readonly (Content & Pick<BackupFile, 'part'>)[],
  about: Pick<Manifest, 'root' | 'left'>,
  check: (manifest: Manifest) => void = () => {},
): Promise<Readable> {
  const filled: (FilledContent & Pick<BackupFile, 'part'>)[] = []
  for (const content of contents) filled.push({ ...content, ...(await measure(content)) })
  const files = filled.map(({ part, name, size, sha256 }) => ({ part, name, size, sha256 }))
  const created = new Date()
  const manifest: Manifest = { format: 1, coffer: version, created: created.toISOString(), ...about, files }
  check(manifest)
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const sums = Buffer.from(sumsOf(text, files))
  return archive([inMemory(manifestName, text), ...filled, inMemory(sumsName, sums)], created)
}

function inMemory(name: string, bytes: Buffer): FilledContent {
  return { ...contentOf(name, bytes), size: bytes.length, sha256: sha256(bytes) }
}

async function measure(content: Content): Promise<Pick<BackupFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of content.read()) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, sha256: hash.digest('hex') }
}

// It does not exist.
const folder = resolve('/backup')

/** tar-fs reads folders. It gets one whose files are the contents. */
function archive(files: readonly FilledContent[], mtime: Date): Readable {
  const byPath = new Map(files.map((file) => [join(folder, file.name), file]))
  const kind = { isFile: () => true, isDirectory: () => false, isSocket: () => false }
  const pack = tarFs.pack(folder, {
    entries: files.map(({ name }) => name),
    umask: 0,
    fs: {
      lstat(path, callback) {
        const size = byPath.get(path)?.size ?? 0
        const stats = { size, mode: 0o100600, mtime, uid: 0, gid: 0, isSymbolicLink: () => false, ...kind }
        setImmediate(callback, null, stats)
      },
      createReadStream: (path) => Readable.from(unchanged(byPath.get(path)), { objectMode: false }),
    },
  })
  // The reader of the stream gets the error too. Without this listener, an error before the first read ends the process.
  pack.on('error', () => {})
  return Readable.from(pack, { objectMode: false })
}

/** The content again. @throws CommandProblem when it is not the same as before. */
async function* unchanged(file: FilledContent | undefined): AsyncGenerator<Uint8Array> {
  if (!file) return
  const hash = createHash('sha256')
  for await (const chunk of file.read()) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== file.sha256)
    throw new CommandProblem(`${file.name} was changed while the backup was written: try again.`)
}
