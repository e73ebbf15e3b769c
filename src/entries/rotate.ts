import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { authorize } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import type { NormalizedPath, UserPath } from '#src/files/paths/user-path.ts'
import {
  jpegRotation,
  type Patch,
  type ReadAt,
  type Turn,
} from '#src/files/pictures/formats/jpeg-rotation.ts'
import { openHeld, type ReadableFile } from '#src/files/reading/readable-file.ts'
import { openFile } from './open.ts'
import type { createWriter, Upload } from './write.ts'

/** How a picture is turned. */
export interface Rotation extends Pick<Upload, 'precondition'> {
  by: Turn
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}

const pieceBytes = 256 * 1024

/**
 * Returns a function that turns a JPEG without changing its pixels: it saves the file with another orientation in its
 * metadata. The content is copied piece by piece, so the memory does not depend on its size.
 */
export function createRotate(files: PartitionedSemaphore, write: ReturnType<typeof createWriter>) {
  /** @returns the file's etag. @throws Problem `picture.rotation`, and as saving a file does. */
  return async (
    actor: Principal,
    { path, asFolder }: NormalizedPath,
    rotation: Rotation,
  ): Promise<string> => {
    authorize(actor, 'save')
    if (asFolder) throw new Problem('path.folder', { path })
    const { by, signal, precondition } = rotation
    const asked = await openFile(files, actor, { path, verb: 'save', signal: () => signal })
    const { size } = asked.stats
    const refuseChanged = (current: Stats) => {
      if (asked.etag !== etagOf(current)) throw new Problem('path.changed', { path })
    }
    let patch: Patch
    try {
      precondition?.(asked.stats)
      // Before the commands of the event run: they run only for a file that will be changed.
      patch = await patchOf(asked.file, { path, by, size })
    } finally {
      await asked.file.close()
    }
    /** Opens the file when its content is read: until then, the permission for writing covers other files. */
    async function* content() {
      await using held = await openPath(await actor.jail(), path)
      const source = await openHeld(held)
      try {
        refuseChanged(await source.stat())
        yield* patched(source, { patch, size, path })
      } finally {
        await source.close()
      }
    }
    const stream = Readable.from(content())
    const writing = {
      event: 'save',
      overwrite: true,
      verbFor: () => 'save' as const,
      precondition: (current: Stats | undefined) => {
        if (!current) throw new Problem('path.unknown', { path })
        precondition?.(current)
        refuseChanged(current)
      },
      source: { stream, size: size - patch.removed + patch.bytes.length },
      signal,
      isMadeHere: true,
    } as const
    const { etag } = await write(actor, path, writing).finally(() => stream.destroy())
    return etag
  }
}

async function patchOf(
  file: ReadableFile,
  { path, by, size }: { path: UserPath; by: Turn; size: number },
): Promise<Patch> {
  const patch = await jpegRotation(reading(file), size, by)
  if (!patch) throw new Problem('picture.rotation', { path })
  return patch
}

function reading(file: ReadableFile): ReadAt {
  return async (at, length) => {
    const buffer = Buffer.alloc(length)
    for (let filled = 0; ; ) {
      const { bytesRead } = await file.read(buffer, filled, length - filled, at + filled)
      filled += bytesRead
      if (bytesRead === 0 || filled === length) return buffer.subarray(0, filled)
    }
  }
}

/** Yields the content with the replacement. @throws Problem `path.changed` if the file became shorter meanwhile. */
async function* patched(
  file: FileHandle,
  { patch, size, path }: { patch: Patch; size: number; path: UserPath },
): AsyncGenerator<Buffer> {
  const read = reading(file)
  async function* range(from: number, to: number) {
    for (let at = from; at < to; ) {
      const piece = await read(at, Math.min(pieceBytes, to - at))
      if (piece.length === 0) throw new Problem('path.changed', { path })
      yield piece
      at += piece.length
    }
  }
  yield* range(0, patch.at)
  yield patch.bytes
  yield* range(patch.at + patch.removed, size)
}
