import { setEntry } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { checkUserName, userNameKey } from '#src/core/text/user-names.ts'

/** A name in Coffer, and why it differs from the one in the file. Undefined: it does not. */
export interface MappedName {
  name: string
  reason: string | undefined
}

/**
 * Gives each user a name that Coffer accepts and that no other user has in any spelling. Users keep their name if
 * possible, users with a lower id first.
 */
export function createNames() {
  const taken: Record<string, true> = {}

  const take = (name: string): boolean => {
    const key = userNameKey(name)
    if (Object.hasOwn(taken, key)) return false
    setEntry(taken, key, true)
    return true
  }

  return {
    of(written: string, id: number): MappedName {
      const name = acceptable(written) ?? acceptable(cleaned(written)) ?? `user-${id}`
      const reason = name === written ? undefined : reasonFor(written, name)
      if (take(name)) return { name, reason }
      const other = [...Array(1000).keys()]
        .map((n) => withSuffix(name, n === 0 ? `-${id}` : `-${id}-${n}`))
        .find(take)
      if (other === undefined) throw new Error('no free name') // a thousand users with names that end in this id
      return {
        name: other,
        reason: `another user has the name ${name} in some spelling, which is one name in Coffer`,
      }
    },
  }
}

function reasonFor(written: string, name: string): string {
  if (written.trim().normalize('NFC') === name) return 'spaces and Unicode form are normalized'
  return 'the name is empty, too long, has invisible characters, begins with - or mixes alphabets'
}

function acceptable(written: string): string | undefined {
  try {
    return checkUserName(written)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return undefined
  }
}

function cleaned(written: string): string {
  const visible = written.slice(0, 1000).replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, '')
  return [...visible.replace(/^[\s-]+/u, '')].slice(0, 64).join('').trim()
}

function withSuffix(name: string, suffix: string): string {
  return [...name].slice(0, 64 - suffix.length).join('') + suffix
}
