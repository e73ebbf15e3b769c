import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { unconditional } from '#src/core/problem.ts'
import { isBcrypt, verifyBcrypt } from './bcrypt.ts'

// Parameters of the OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane.
const options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Hashing shares the thread pool with the disk. One hash at a time leaves the other threads to downloads, and a flood
// of sign-ins waits in a short queue.
const hashing = createSemaphore('sign-ins', { all: 1, waitingAll: 64 })

/**
 * Returns the argon2id hash of a password, in PHC text form. @throws Problem `server.busy` when too many requests wait.
 */
export async function hashPassword(plain: string): Promise<string> {
  return withPermit(() => hash(plain.normalize('NFC'), options))
}

/** Whether `text` is a hash that `verifyPassword` can verify, not a plain password. */
export function isHash(text: string): boolean {
  return isArgon2(text) || isBcrypt(text)
}

/** Whether a stored hash should be replaced by one of `hashPassword` at the next sign-in: one of File Browser. */
export function isOutdatedHash(stored: string): boolean {
  return isBcrypt(stored)
}

function isArgon2(text: string): boolean {
  return /^\$argon2id\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,2}\$[\w+/]{11,}\$[\w+/]{22,}$/.test(text)
}

/**
 * Whether `plain` is the password of `stored`, an argon2id hash or a bcrypt hash of File Browser. Without a hash, takes
 * the same time as with an argon2id hash and returns false, so that the duration does not reveal which names exist
 * (contract/README.md#sessions). A bcrypt hash takes longer. While there are any, callers pass one of them for an unknown
 * name too (`users.verify`).
 *
 * @throws Problem `server.busy` when too many requests wait.
 */
export async function verifyPassword(stored: string | undefined, plain: string): Promise<boolean> {
  const expectedHash = stored ?? (await dummyHash())
  const matches = await withPermit(() =>
    isBcrypt(expectedHash) ? verifyBcrypt(expectedHash, plain) : verify(expectedHash, plain.normalize('NFC')),
  )
  return matches && stored !== undefined
}

let dummyHashPromise: Promise<string> | undefined

function dummyHash(): Promise<string> {
  dummyHashPromise ??= hash('nobody has this password', options)
  return dummyHashPromise
}

async function withPermit<T>(work: () => Promise<T>): Promise<T> {
  // No recheck: callers check afterwards whether the user has changed during the wait.
  using _permit = await hashing.acquire('all', { recheck: unconditional })
  return await work()
}
