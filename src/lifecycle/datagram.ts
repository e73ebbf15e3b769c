import { closeSync } from 'node:fs'
import { lazyLibc } from '#src/core/libc.ts'

// Node has no datagram sockets of the Unix family, so these are calls into libc. The alternative is a new process of
// `systemd-notify` for each message: it takes 6 ms instead of 16 µs, and fails when the system has no room for a process,
// just when the watchdog waits for a message. Its messages also come from another process, so that a unit would have to
// accept messages from every process of the service (NotifyAccess=all).
const load = lazyLibc({
  socket: { arguments: ['int32', 'int32', 'int32'], return: 'int32' },
  sendto: {
    arguments: ['int32', 'pointer', 'uint64', 'int32', 'pointer', 'uint32'],
    return: 'int64',
  },
})

// The numbers of Linux on x64 and arm64 (socket(2), send(2)).
const unixFamily = 1
const datagramClosedOnExec = 2 | 0o2000000
const neverWaitNorSignal = 0x40 | 0x4000
// The length of `sun_path` (unix(7)).
const maxPathBytes = 108

/** Whether this process can send datagrams to a Unix socket. */
export function canSendDatagrams(): boolean {
  return load() !== undefined
}

/**
 * Sends a datagram to a Unix socket, without waiting.
 *
 * @param socket a path, or the name of an abstract socket after `@`
 * @returns whether it was sent: not if the queue of the socket is full, or if no process reads it
 */
export function sendDatagram(socket: string, text: string): boolean {
  const name = Buffer.from(socket.startsWith('@') ? `\0${socket.slice(1)}` : `${socket}\0`)
  const libc = load()
  if (!libc || name.length > maxPathBytes) return false
  const descriptor = libc.socket(unixFamily, datagramClosedOnExec, 0)
  if (descriptor < 0) return false
  try {
    const family = Buffer.alloc(2)
    family.writeUInt16LE(unixFamily)
    const address = Buffer.concat([family, name])
    const bytes = Buffer.from(text)
    return (
      libc.sendto(descriptor, bytes, BigInt(bytes.length), neverWaitNorSignal, address, address.length) >= 0n
    )
  } finally {
    closeSync(descriptor)
  }
}
