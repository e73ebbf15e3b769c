import { unconditional } from '#src/core/problem.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'

/** A password that a thread compares with a bcrypt hash. */
export interface BcryptTask {
  plain: string
  hash: string
}

// The cost doubles the time with each step: 70 ms at 10, more than one second at 14.
const [leastCost, mostCost] = [4, 14]

// In a thread, because bcrypt in JavaScript would block all requests meanwhile. It ends when no user with such a hash has
// signed in for a minute.
const workers = createWorkerPool<BcryptTask, boolean>('bcrypt', { threads: threads.bcrypt, idleMs: 60_000 })

/** Whether `text` is a bcrypt hash that Coffer can verify, as File Browser stores passwords. */
export function isBcrypt(text: string): boolean {
  return isBcryptForm(text) && bcryptFault(text) === undefined
}

/** Whether `text` has the form of a bcrypt hash, of any version and cost. */
export function isBcryptForm(text: string): boolean {
  return /^\$2[a-z]?\$\d\d\$[./A-Za-z0-9]{53}$/.test(text)
}

/**
 * Why Coffer cannot verify a hash, as the end of a sentence. Undefined when it can. A high cost is refused, because each
 * attempt to sign in would keep a processor busy for seconds.
 */
export function bcryptFault(text: string): string | undefined {
  if (!isBcryptForm(text)) return 'it is not a bcrypt hash'
  const [, version = '', digits = ''] = text.split('$')
  if (!['2a', '2b', '2y'].includes(version)) return `the bcrypt version ${version} is not supported`
  const cost = Number(digits)
  const isUsable = cost >= leastCost && cost <= mostCost
  return isUsable ? undefined : `its bcrypt cost ${cost} is not between ${leastCost} and ${mostCost}`
}

/**
 * Whether `plain` is the password of a bcrypt hash. File Browser did not normalize passwords, so both the text as typed
 * and its composed form are tried. Only the first 72 bytes count, because bcrypt ignores the rest.
 */
export async function verifyBcrypt(hash: string, plain: string): Promise<boolean> {
  for (const text of new Set([plain, plain.normalize('NFC')]))
    if (await workers.run({ plain: text, hash }, { recheck: unconditional })) return true
  return false
}
