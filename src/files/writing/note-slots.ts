import { randomBytes } from 'node:crypto'
import { fstat, open } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { errnoOf, ignoreMissing } from '#src/core/problem.ts'
import { writeFlushed } from '#src/core/storage/write-flushed.ts'

// The space of the journal on the disk.

// A slot has space for the longest path of a system call (PATH_MAX, 4096 bytes) and a name (NAME_MAX, 255 bytes).
export const slotBytes = 8192
export const slots = 64
// Magic number, length and CRC-32 of the text, 4 bytes each. All are zero in a free slot.
export const headerBytes = 12

/** The open file of the journal. */
export interface SlotsFile {
  readonly fd: number
  /** As in the `dev` of `Stats`. */
  readonly device: number
}

const openDescriptor = promisify(open)
const statDescriptor = promisify(fstat)

/**
 * Opens the file of the journal, which is created if there is none, and returns it with its content. Undefined: the disk has
 * no space for one.
 */
export async function openSlots(file: string): Promise<(SlotsFile & { content: Buffer }) | undefined> {
  const found = await readFile(file).catch(ignoreMissing)
  const content = found?.length === slots * slotBytes ? found : await preallocate(file)
  if (!content) return undefined
  const fd = await openDescriptor(file, 'r+')
  return { fd, device: (await statDescriptor(fd)).dev, content }
}

/** Creates the file with all its blocks allocated. Returns undefined when the disk has no space. */
async function preallocate(file: string): Promise<Buffer | undefined> {
  const temporary = `${file}.new`
  // Random bytes, because compressing file systems and those that store zeros as holes would not allocate all blocks.
  const content = randomBytes(slots * slotBytes)
  for (let slot = 0; slot < slots; slot++) content.fill(0, slot * slotBytes, slot * slotBytes + headerBytes)
  try {
    await writeFlushed(temporary, content)
    await rename(temporary, file)
    return content
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}) // report the first failure
    if (errnoOf(error) === undefined) throw error
    return undefined
  }
}
