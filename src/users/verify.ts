import { hashPassword, isOutdatedHash, verifyPassword } from '#src/core/access/passwords.ts'
import { Problem } from '#src/core/problem.ts'
import { hmac } from '#src/core/secret.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'

/**
 * Returns a function that finds the user with a name and a password; undefined when there is none. The time it takes does
 * not reveal whether the name exists. A right password replaces its hash, if File Browser made that, by one of Coffer.
 */
export function createVerify(store: Store) {
  const { users, passwords } = store

  /**
   * Replaces a hash of File Browser, unless the password was changed meanwhile. Returns the new hash. A full disk or a busy server is ignored:
   * users must be able to sign in then, and the next sign-in tries again.
   */
  async function replaceHash(id: number, stored: string, password: string): Promise<string | undefined> {
    try {
      const hash = await hashPassword(password)
      await store.change(({ passwords }) => {
        if (passwords.get(id) === stored) passwords.set(id, hash)
      })
      return hash
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return undefined
    }
  }

  /**
   * Whether a hash that matched is still the user's, and replaces an outdated one. Both the check and the replacement take
   * time, in which the password may be changed. Undefined: check again, because a parallel sign-in may have replaced only
   * the hash.
   */
  async function isStillValid(id: number, stored: string, password: string): Promise<boolean | undefined> {
    const isPresent = async (...hashes: unknown[]) => hashes.includes(await passwords.of(id))
    if (!isOutdatedHash(stored)) return isPresent(stored)
    const replaced = (await isPresent(stored)) && (await replaceHash(id, stored, password))
    return (await isPresent(stored, replaced)) || undefined
  }

  return async function verify(username: string, password: string): Promise<UserRecord | undefined> {
    const user = await users.byName(username)
    const stored = user && (await passwords.of(user.id))
    const matches = await verifyPassword(stored ?? (await decoyHash(store, username)), password)
    if (!matches || !user || stored === undefined) return undefined
    const isValid = await isStillValid(user.id, stored, password)
    return isValid === undefined ? verify(username, password) : isValid ? user : undefined
  }
}

/**
 * The hash that the password for an unknown name is compared with, in vain. Hashes of File Browser take longer than those
 * of Coffer. While there are any, an unknown name always gets the hash of the same account, chosen by a keyed hash of the
 * name, so that unknown names take as long as known ones. Undefined: all hashes take the same time.
 */
async function decoyHash({ passwords, current }: Store, username: string): Promise<string | undefined> {
  const hashes = await passwords.list()
  if (!hashes.some(isOutdatedHash)) return undefined
  const digest = hmac(`decoy.${userNameKey(username)}`, current.signingKey())
  return hashes[Buffer.from(digest, 'base64url').readUInt32BE() % hashes.length]
}
