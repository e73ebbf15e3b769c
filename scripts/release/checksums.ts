import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Returns the SHA-256 hash of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Writes `SHA256SUMS` for all other files in a folder, in the format of `sha256sum`. */
export async function writeChecksums(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== 'SHA256SUMS').sort()
  const lines: string[] = []
  for (const name of names) lines.push(`${await sha256Of(path.join(folder, name))}  ${name}\n`)
  await writeFile(path.join(folder, 'SHA256SUMS'), lines.join(''))
}
