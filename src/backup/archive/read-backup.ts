import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { extract, type Header } from 'tar-stream'
import { CommandProblem, errnoOf } from '#src/core/problem.ts'
import {
  type BackupFile,
  largestManifest,
  type Manifest,
  manifestName,
  parseManifest,
  sha256,
  shown,
  sumsName,
  sumsOf,
  unusable,
} from './manifest.ts'

/** What the reader of a backup does with it. */
export interface BackupReceiver {
  /** Called before the first file. Throws to refuse the backup. */
  begin?(manifest: Manifest): void
  /** Receives one file, whose checksum is verified afterwards. Must read all of it. */
  receive(file: BackupFile, content: AsyncIterable<Uint8Array>): Promise<void>
}

/** Reads a file without storing it. */
export async function ignore(_: unknown, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of content) {
    // Only its checksum matters.
  }
}

// A header of a file, with the header of a long name before it.
const headerBytes = 8 * 1024
// Two zero blocks end an archive. Other programs write more of them.
const endBytes = 64 * 1024
const pieceBytes = 64 * 1024
// The input is read ahead of the parser.
const aheadBytes = 16 * pieceBytes

/**
 * Reads a backup to its end and verifies every size and checksum. Reads nothing that the manifest does not announce. Does
 * not close `input`.
 *
 * @returns the manifest
 * @throws CommandProblem when anything is missing, additional or different, and what `receiver` throws.
 */
export async function readBackup(input: Readable, receiver: BackupReceiver): Promise<Manifest> {
  const limit = { left: headerBytes + largestManifest + aheadBytes }
  const archive = extract()
  // The error of the loop counts.
  void pipeline(limited(input, limit), archive).catch(() => {})
  let manifest: Manifest | undefined
  let awaited: Expected[] = []
  try {
    for await (const entry of archive as AsyncIterable<Entry>) {
      if (manifest) {
        await receiveFile(entry, awaited.shift(), receiver)
        continue
      }
      const text = await readManifest(entry)
      manifest = parseManifest(text)
      receiver.begin?.(manifest)
      limit.left += roomFor(manifest)
      const sums = Buffer.from(sumsOf(text, manifest.files))
      awaited = [...manifest.files, { name: sumsName, size: sums.length, sha256: sha256(sums) }]
    }
  } catch (error) {
    throw readable(error)
  } finally {
    archive.destroy()
  }
  if (!manifest) throw unusable('it is empty')
  if (awaited.length > 0) throw unusable('its end is missing')
  return manifest
}

type Entry = AsyncIterable<Uint8Array> & { header: Header }

/** A file that must come. The last one has no part. */
type Expected = Omit<BackupFile, 'part'> & Partial<BackupFile>

function roomFor({ files }: Manifest): number {
  const room = files.reduce((bytes, { size }) => bytes + size + headerBytes, endBytes)
  return room + largestManifest + headerBytes
}

async function readManifest(entry: Entry): Promise<Buffer> {
  const { name, type, size } = entry.header
  if (name !== manifestName || type !== 'file') throw unusable('it was not written by coffer backup')
  if (size > largestManifest) throw unusable(`${manifestName} is too large`)
  return buffer(entry)
}

/** Reads the file that comes next. @throws CommandProblem unless it is the expected one. */
async function receiveFile(
  entry: Entry,
  file: Expected | undefined,
  { receive }: BackupReceiver,
): Promise<void> {
  const { name, type, size } = entry.header
  if (!file) throw unusable(`it has the additional file ${shown(name)}`)
  if (name !== file.name) throw unusable(`it has ${shown(name)} in the place of ${shown(file.name)}`)
  if (type !== 'file') throw unusable(`${shown(name)} is not a regular file`)
  if (size !== file.size) throw unusable(`${shown(name)} has the wrong size`)
  const hash = createHash('sha256')
  async function* hashed() {
    for await (const chunk of entry) {
      hash.update(chunk)
      yield chunk
    }
  }
  await (file.part === undefined ? ignore(file, hashed()) : receive(file as BackupFile, hashed()))
  if (hash.digest('hex') !== file.sha256) throw unusable(`the checksum of ${shown(name)} is wrong`)
}

/** Passes bytes on. @throws CommandProblem for more bytes than a backup with this manifest can have. */
async function* limited(input: Readable, limit: { left: number }): AsyncGenerator<Uint8Array> {
  // The server must be able to respond on the same connection.
  const chunks = input.iterator({ destroyOnReturn: false })
  for (;;) {
    const { done, value: chunk } = await chunks.next().catch(failRead)
    if (done) return
    // In pieces, so that the manifest can raise the limit in between.
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes)
      limit.left -= piece.length
      if (limit.left < 0) throw unusable('it is larger than its manifest says')
      yield piece
    }
  }
}

function failRead(error: unknown): never {
  const errno = errnoOf(error)
  if (errno === undefined) throw error
  throw new CommandProblem(`The backup cannot be read (${errno}).`, { cause: error })
}

/** The parser of the archive throws plain errors. */
function readable(error: unknown): unknown {
  const { message } = error as Error
  const isOfParser = /^(Invalid (tar )?header|Unexpected end of data|Header exceeds)/.test(message)
  return isOfParser ? unusable('it is not a complete tar archive', error) : error
}
