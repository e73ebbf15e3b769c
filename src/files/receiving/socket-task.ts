import { readSync, writeSync } from 'node:fs'
import { lazyLibc } from '#src/core/libc.ts'

/** What a thread reads from a socket that no other code reads meanwhile. */
export interface SocketTask {
  /** A descriptor. The caller closes it after the task. */
  readonly socket: number
  /** Undefined: the rest of the body is discarded. */
  readonly rest?: RestOfBody
  /** The client is given up when it sends nothing for so long, in milliseconds. 0: never. */
  readonly idleMs: number
  /** Not 0 as soon as nothing more may be written. */
  readonly stopped: Int32Array<SharedArrayBuffer>
}

/** The part of a body that has not been read yet, and where it belongs. */
export interface RestOfBody {
  /** A descriptor. The caller closes it after the task. */
  readonly file: number
  /** The offsets in the file where the next byte and the end of the body belong, in bytes. */
  readonly from: number
  readonly to: number
}

/** What a thread has received. */
export interface Received {
  /** The offset up to which the file was written. Less than `to` if the client has left or is idle, and after a stop. */
  readonly position: number
  /** Whether the client has sent nothing for too long. */
  readonly isIdle: boolean
}

// poll(2) of Linux. Only the first structure is used: `int fd; short events; short revents`.
const load = lazyLibc({ poll: { arguments: ['pointer', 'uint64', 'int32'], return: 'int32' } })
const readable = 1
const one = 1n
const waitMs = 250

// One read and one write for so many bytes: with 64 KiB, the kernel needs twice the processor time.
const bufferBytes = 1024 * 1024
const reportBytes = 4 * 1024 * 1024
const reportMs = 300
// As long as for every body that is refused (`server/bodies/body-parsers.ts`).
const drainMs = 10_000

/** Whether this system lets a thread wait for a socket. */
export function canReadSockets(): boolean {
  return load() !== undefined
}

/**
 * Writes the rest of a body from its socket to its file, with one buffer; or discards it. Synchronous, for worker threads.
 *
 * @param report called from time to time, as long as bytes arrive, with the offset up to which the file was written
 * @throws the error of the disk
 */
export function readFromSocket(
  { socket, rest, idleMs, stopped }: SocketTask,
  report: (position: number) => void,
): Received {
  const buffer = Buffer.allocUnsafeSlow(bufferBytes)
  const input = createInput(socket)
  if (!rest) return discard(input, buffer)
  const { file, from, to } = rest
  let received = from
  let written = from
  const reportWhenDue = createReports(from, report)
  const write = () => {
    for (const start = written; written < received; ) {
      written += writeSync(file, buffer, written - start, received - written, written)
    }
  }

  const isIdle = () => idleMs > 0 && input.silentMs() >= idleMs
  while (received < to && Atomics.load(stopped, 0) === 0 && !isIdle()) {
    // Each write fills the buffer, and ends at a multiple of its size: the kernel then needs a sixth less time.
    const wholeAt = written - (written % bufferBytes) + bufferBytes
    const bytes = input.read(buffer.subarray(received - written), Math.min(wholeAt, to) - received)
    received += bytes ?? 0
    if (!bytes || received === wholeAt || received === to) write()
    if (bytes === 0) break
    if (bytes) reportWhenDue(written)
  }
  return { position: written, isIdle: isIdle() }
}

/** Reports now and then, also while a slow client fills the buffer. */
function createReports(from: number, report: (position: number) => void) {
  let reported = from
  let reportedAt = performance.now()
  return (written: number) => {
    const now = performance.now()
    if (written - reported < reportBytes && now - reportedAt < reportMs) return
    reported = written
    reportedAt = now
    report(written)
  }
}

/** A socket that is read without libuv. */
interface Input {
  /** Reads up to `most` bytes. 0: the client has closed the connection. Undefined: nothing arrived for a moment. */
  read(into: Buffer, most: number): number | undefined
  /** How long this thread has waited since the last byte, in milliseconds. The time in which it writes does not count. */
  silentMs(): number
}

function createInput(socket: number): Input {
  const request = Buffer.alloc(8)
  request.writeInt32LE(socket)
  request.writeInt16LE(readable, 4)
  let silentMs = 0

  return {
    read(into, most) {
      if ((load()?.poll(request, one, waitMs) ?? -1) <= 0) {
        silentMs += waitMs
        return undefined
      }
      silentMs = 0
      try {
        return readSync(socket, into, 0, Math.min(into.length, most), null)
      } catch {
        return 0 // the connection was reset
      }
    },
    silentMs: () => silentMs,
  }
}

/** Reads until the client closes the connection, or for as long as other bodies that are refused. */
function discard(input: Input, buffer: Buffer): Received {
  for (const deadline = performance.now() + drainMs; performance.now() < deadline; ) {
    if (input.read(buffer, buffer.length) === 0) break
  }
  return { position: 0, isIdle: false }
}
