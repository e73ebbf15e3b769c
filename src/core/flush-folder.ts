import type { FileHandle } from 'node:fs/promises'

/**
 * Flushes a folder to the disk, so that names that were created or removed in it survive a power cut. Does nothing on
 * Windows, where folders cannot be opened.
 *
 * @param open opens the folder for reading; undefined when there is nothing to flush
 */
export async function flushFolder(open: () => Promise<FileHandle | undefined>): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open()
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}
