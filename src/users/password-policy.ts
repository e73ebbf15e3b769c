import { nameKey } from '#src/core/names.ts'
import { Problem } from '#src/core/problem.ts'

// What people put around a word to make it long enough.
const decoration = /[\d!?.*#@_-]+$/

const plainWords = [
  'password',
  'passwort',
  'passw0rd',
  'qwertyuiop',
  'qwertzuiop',
  'letmein',
  'welcome',
  'iloveyou',
  'administrator',
  'changeme',
  'coffer',
]

// Keys and letters in their order, and on from the beginning.
const runs = ['0123456789', '9876543210', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm']

/**
 * Refuses a password that is too short or among the first that anybody tries: one short piece repeated, a plain run, a
 * plain word or the user's own name, decorated or not.
 *
 * @param minimum length in characters
 * @throws Problem `password.weak`, `password.common`.
 */
export function checkPassword(password: string, minimum: number, username: string): void {
  if ([...password].length < minimum) throw new Problem('password.weak', { minimum })
  const key = nameKey(password)
  const core = key.replace(decoration, '')
  const isRun = runs.some((run) => run.repeat(key.length / run.length + 2).includes(key))
  const isPlain = isRun || /^(.{1,4})\1+$/u.test(password)
  const name = nameKey(username)
  if (isPlain || [name, ...plainWords].includes(core) || key === name) throw new Problem('password.common')
}
