import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readdir, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Header, pack } from 'tar-fs'
import { imageUser, volumes } from './root-files.ts'

/** A layer of an image. */
export interface Layer {
  /** The hash of its file. */
  readonly digest: string
  readonly size: number
  /** The hash of its files before compression. */
  readonly diffId: string
}

/** The time of all files, so that two builds write the same bytes. Some tools do not accept the year 1970. */
export const fixedTime = new Date('2000-01-01T00:00:00Z')

/**
 * Writes the files of a folder as a layer into the folder `blobs`. The layer depends only on their names, contents and
 * whether they are executable.
 */
export async function writeLayer(
  folder: string,
  { blobs, level }: { blobs: string; level: number },
): Promise<Layer> {
  const entries = (await readdir(folder)).sort()
  const files = pack(folder, { entries, sort: true, umask: 0, map: imageHeader })
  const plain = createHash('sha256')
  const packed = createHash('sha256')
  const partial = path.join(blobs, 'layer.part')
  await pipeline(files, hashInto(plain), createGzip({ level }), hashInto(packed), createWriteStream(partial))
  const digest = packed.digest('hex')
  const { size } = await stat(partial)
  await rename(partial, path.join(blobs, digest))
  return { digest: `sha256:${digest}`, size, diffId: `sha256:${plain.digest('hex')}` }
}

function imageHeader(header: Header): Header {
  const isVolume = volumes.some((name) => name === header.name)
  header.uid = isVolume ? imageUser.uid : 0
  header.gid = isVolume ? imageUser.gid : 0
  header.mtime = fixedTime
  if (header.name === 'tmp') header.mode = 0o1777
  else if (header.type !== 'symlink')
    header.mode = header.type === 'directory' || (header.mode & 0o100) !== 0 ? 0o755 : 0o644
  return header
}

function hashInto(hash: ReturnType<typeof createHash>): Transform {
  return new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      done(undefined, chunk)
    },
  })
}

/** Writes the files of a folder as a tar file with fixed times. */
export async function writeTar(folder: string, file: string): Promise<void> {
  const entries = (await readdir(folder)).sort()
  const map = (header: Header): Header => {
    Object.assign(header, { uid: 0, gid: 0, mtime: fixedTime })
    header.mode = header.type === 'directory' ? 0o755 : 0o644
    return header
  }
  await pipeline(pack(folder, { entries, sort: true, umask: 0, map }), createWriteStream(file))
}
