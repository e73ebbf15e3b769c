import { close, fdatasync, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { errnoOf } from '#src/core/problem.ts'
import { callNow, mayCallNow } from '#src/files/paths/local-calls.ts'
import { isLocalDevice } from '#src/files/paths/remote-mounts.ts'
import { headerBytes, openSlots, type SlotsFile, slotBytes, slots } from './note-slots.ts'

/** A note about a temporary file in use: `name` in the real folder `place`. */
export interface Note {
  name: string
  place: string
}

/** A note that is written. It outlives the process now. */
export interface AddedNote {
  slot: number
  /** Flushes the note. When it resolves, the note outlives a power cut. */
  flush(): Promise<unknown>
  /** Flushes the note within some seconds, unless it is cleared before. */
  flushLater(): void
}

const clearAfterMs = 1000
const flushAfterMs = 1000

const closeDescriptor = promisify(close)
const flushDescriptor = promisify(fdatasync)
const writeDescriptor = promisify<number, Buffer, number, number, number, number>(write)

/**
 * Opens the journal `file`, a file of fixed size with 64 slots for notes. A note overwrites a slot in place, so it
 * can be written when the disk has no free block and no free inode. Each note has a checksum. A note that is
 * incomplete after a power failure is ignored.
 *
 * @returns undefined when there is no journal yet and the disk has no space for one
 */
export async function openJournal(file: string) {
  const opened = await openSlots(file)
  if (!opened) return undefined
  const { content, ...slotsFile } = opened
  const found = notesIn(content)
  const used = new Set(found.map(({ slot }) => slot))
  const flush = createFlush(slotsFile.fd)

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
      await unlessClosed(() => overwrite(slotsFile, slot, Buffer.alloc(headerBytes)))
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
        const isWritten = await unlessClosed(() => overwrite(slotsFile, slot, bytes))
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
      await closeDescriptor(slotsFile.fd)
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
async function overwrite({ fd, device }: SlotsFile, slot: number, bytes: Buffer): Promise<void> {
  const isQuick = isLocalDevice(device) && mayCallNow()
  for (let done = 0; done < bytes.length; ) {
    const given = [bytes, done, bytes.length - done, slot * slotBytes + done] as const
    done += isQuick ? callNow(() => writeSync(fd, ...given)) : await writeDescriptor(fd, ...given)
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

const magic = 0x434e_4f31

/** Returns the bytes of a note, for the beginning of a slot. */
function encoded({ name, place }: Note): Buffer {
  const text = Buffer.from(`${name}\0${place}`)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(magic, 0)
  header.writeUInt32BE(text.length, 4)
  header.writeUInt32BE(crc32(text), 8)
  return Buffer.concat([header, text])
}

/** Returns the notes in a whole journal, with the numbers of their slots. */
function notesIn(content: Buffer): (Note & { slot: number })[] {
  const found: (Note & { slot: number })[] = []
  for (let slot = 0; slot < slots; slot++) {
    const note = decoded(content.subarray(slot * slotBytes, (slot + 1) * slotBytes))
    if (note) found.push({ ...note, slot })
  }
  return found
}

/** Reads the note in a slot. Returns undefined when the slot is free or the note is damaged. */
function decoded(bytes: Buffer): Note | undefined {
  const length = bytes.readUInt32BE(4)
  if (bytes.readUInt32BE(0) !== magic || length > slotBytes - headerBytes) return undefined
  const text = bytes.subarray(headerBytes, headerBytes + length)
  if (crc32(text) !== bytes.readUInt32BE(8)) return undefined
  const [name = '', place = ''] = text.toString().split('\0')
  return { name, place }
}
