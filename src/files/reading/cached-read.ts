import { addressOf, lazyLibc } from '#src/core/libc.ts'

// preadv2(2): RWF_NOWAIT. The call ends where it would have to wait for the disk.
const noWait = 8

const load = lazyLibc({
  preadv2: { arguments: ['int32', 'pointer', 'int32', 'int64', 'int32'], return: 'int64' },
})

// struct iovec: the address and the length of the buffer.
const vector = new BigUint64Array(2)
const vectorBytes = Buffer.from(vector.buffer)

/**
 * Reads the bytes from `position` on that are in the page cache of the system. Never waits for the disk. Returns how many
 * bytes were read: 0 also when the system cannot tell, on other systems than Linux, and on disks of other machines.
 */
export function readCached(fd: number, bytes: Buffer, position: number): number {
  const libc = load()
  if (!libc) return 0
  vector[0] = addressOf(bytes)
  vector[1] = BigInt(bytes.length)
  const read = Number(libc.preadv2(fd, vectorBytes, 1, BigInt(position), noWait))
  return Math.max(read, 0)
}
