import { errnoOf } from '#src/core/errno.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'

// The process may not set times, or the disk cannot store them.
const refusals = ['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EOVERFLOW']

/**
 * Gives a file that is still open for writing the modification time of its source. It must not be written to afterwards.
 * Where the disk refuses, the file keeps the time of the upload.
 *
 * @param mtime milliseconds since 1970; undefined: changes nothing
 */
export async function setModified(file: WritableFile, mtime: number | undefined): Promise<void> {
  if (mtime === undefined) return
  try {
    await file.utimes(Date.now() / 1000, mtime / 1000)
  } catch (error) {
    if (!refusals.includes(errnoOf(error) ?? '')) throw error
  }
}
