import { randomBytes } from 'node:crypto'
import { close, fdatasync, fstat, open, write, writeSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { errnoOf, ignoreMissing } from '#src/core/problem.ts'
import { writeFlushed } from '#src/core/storage/write-flushed.ts'
import { callNow, mayCallNow } from '#src/files/paths/local-calls.ts'
import { isLocalDevice } from '#src/files/paths/remote-mounts.ts'
import { encoded, headerBytes, type Note, notesIn, slotBytes, slots } from './note-slots.ts'

/** A note that is written. It outlives the process now. */
export interface AddedNote {
  slot: number
  /** Flushes the note. When it resolves, the note outlives a power cut. */
  flush(): Promise<unknown>
  /** Flushes the note within some seconds, unless it is cleared before. */
  flushLater(): void
}

/** The open journal. */
interface JournalFile {
  readonly fd: number
  /** As in the `dev` of `Stats`. */
  readonly device: number
}

const clearAfterMs = 1000
const flushAfterMs = 1000

const openDescriptor = promisify(open)
const closeDescriptor = promisify(close)
const flushDescriptor = promisify(fdatasync)
const statDescriptor = promisify(fstat)
const writeDescriptor = promisify<number, Buffer, number, number, number, number>(write)

/**
 * Opens the journal `file`, a file of fixed size with 64 slots for notes. A note overwrites a slot in place, so it
 * can be written when the disk has no free block and no free inode. Each note has a checksum. A note that is
 * incomplete after a power failure is ignored.
 *
 * @returns undefined when there is no journal yet and the disk has no space for one
 */
export async function openJournal(file: string) {
  const content = await contentOf(file)
  if (!content) return undefined
  const fd = await openDescriptor(file, 'r+')
  const opened = { fd, device: (await statDescriptor(fd)).dev }
  const found = notesIn(content)
  const used = new Set(found.map(({ slot }) => slot))
  const flush = createFlush(fd)

  /** Slots that are free but still hold a note. */
  const stale = new Set<number>()
  let clearing: NodeJS.Timeout | undefined
  const running = new Set<Promise<void>>()
  let isClosed = false

  /** Does nothing after `close`: another file may have the same descriptor number by then. */
  async function unlessClosed(work: () => Promise<void>): Promise<boolean> {
    if (isClosed) return false
    const working = work()
    running.add(working)
    await working.finally(() => running.delete(working))
    return true
  }

  /**
   * Frees a slot. If the write fails, the slot stays used. It is not flushed: after a power failure the note may still
   * exist, about a file that does not.
   */
  async function clear(slot: number): Promise<void> {
    try {
      await unlessClosed(() => overwrite(opened, slot, Buffer.alloc(headerBytes)))
      used.delete(slot)
    } catch (error) {
      if (errnoOf(error) === undefined) throw error
    }
  }

  async function flushNotes(): Promise<void> {
    await unlessClosed(flush).catch((error: unknown) => {
      // The notes are in the memory of the system: they are lost only with the power.
      if (errnoOf(error) === undefined) throw error
    })
  }

  const late = createLateFlush(flushNotes, (slot) => used.has(slot))

  async function clearStale(): Promise<void> {
    clearing = undefined
    const slots = [...stale]
    stale.clear()
    for (const slot of slots) used.add(slot) // a new note must not be overwritten
    for (const slot of slots) await clear(slot)
  }

  return {
    /** The notes that the last process left behind. */
    found,

    /**
     * Writes a note. Returns undefined when all slots are used, when the note is too long for a slot, or when the write
     * fails, for example on a full copy-on-write file system.
     */
    async add(note: Note): Promise<AddedNote | undefined> {
      const bytes = encoded(note)
      const slot = firstFree(used)
      if (slot === undefined || bytes.length > slotBytes) return undefined
      used.add(slot)
      stale.delete(slot)
      try {
        const isWritten = await unlessClosed(() => overwrite(opened, slot, bytes))
        if (!isWritten) return undefined
        return { slot, flush: flushNotes, flushLater: () => late.add(slot) }
      } catch (error) {
        used.delete(slot)
        if (errnoOf(error) === undefined) throw error
        return undefined
      }
    },

    clear,

    /**
     * Frees a slot whose file no longer exists. The next note overwrites it, or else it is cleared within a second: a
     * write for each file would make uploads slower. Until then a crash leaves a note about a file that does not exist.
     */
    clearLater(slot: number): void {
      used.delete(slot)
      stale.add(slot)
      clearing ??= setTimeout(() => void clearStale(), clearAfterMs).unref()
    },

    /** Waits for running writes, then closes the file. Later calls do nothing. */
    async close(): Promise<void> {
      clearTimeout(clearing)
      late.stop()
      await clearStale()
      isClosed = true
      await Promise.allSettled(running)
      await closeDescriptor(fd)
    },
  }
}

export type Journal = NonNullable<Awaited<ReturnType<typeof openJournal>>>

/**
 * Overwrites the beginning of a slot. Its blocks exist, so the kernel only copies the bytes into its memory: on a local
 * disk, the thread pool would cost more.
 *
 * @throws the system's error.
 */
async function overwrite({ fd, device }: JournalFile, slot: number, bytes: Buffer): Promise<void> {
  const isQuick = isLocalDevice(device) && mayCallNow()
  for (let done = 0; done < bytes.length; ) {
    const given = [bytes, done, bytes.length - done, slot * slotBytes + done] as const
    done += isQuick ? callNow(() => writeSync(fd, ...given)) : await writeDescriptor(fd, ...given)
  }
}

/** The content of the journal file, which is created if there is none. Undefined: the disk has no space for one. */
async function contentOf(file: string): Promise<Buffer | undefined> {
  const content = await readFile(file).catch(ignoreMissing)
  return content?.length === slots * slotBytes ? content : preallocate(file)
}

/** Creates the journal file with all its blocks allocated. Returns undefined when the disk has no space. */
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

function firstFree(used: ReadonlySet<number>): number | undefined {
  for (let slot = 0; slot < slots; slot++) if (!used.has(slot)) return slot
  return undefined
}

/**
 * Flushes notes a second after they were written, if one of them is still needed then. A short upload has ended by then: its
 * note costs no flush.
 */
function createLateFlush(flush: () => Promise<void>, isNeeded: (slot: number) => boolean) {
  const waiting = new Set<number>()
  let timer: NodeJS.Timeout | undefined

  function run(): void {
    timer = undefined
    const needed = [...waiting].filter(isNeeded)
    waiting.clear()
    if (needed.length > 0) void flush()
  }

  return {
    add(slot: number): void {
      waiting.add(slot)
      timer ??= setTimeout(run, flushAfterMs).unref()
    },
    stop: () => clearTimeout(timer),
  }
}

/** Creates a function that flushes a file. Calls during a running flush share the next one. */
function createFlush(fd: number): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running
      .catch(() => {}) // the callers of that flush receive its error
      .then(() => {
        next = undefined
        running = flushDescriptor(fd)
        return running
      })
    return next
  }
}
