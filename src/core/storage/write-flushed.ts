import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Writes a whole file, mode 0600, and waits until it is on the disk. Does not follow symbolic links. */
export async function writeFlushed(file: string, content: string | Buffer): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants
  const handle = await open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
