import { join } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { patternFault } from '#src/core/access/pattern-fault.ts'
import { errnoOf } from '#src/core/problem.ts'
import { lstat, realpath, stat } from '#src/files/paths/disk.ts'
import { isInside } from '#src/files/paths/path-access.ts'
import { rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import type { State, UserRecord } from '#src/state/state.ts'
import { type CheckFinding, finding, fine, someOf } from '../findings/finding.ts'
import { accessFault } from '../findings/own-files.ts'
import type { Subject } from '../findings/subject.ts'

// More users and shares are not looked up on the disk.
const mostChecked = 2000

/** Checks that the folder of each user exists, can be read and is in the served folder. */
export async function checkScopes(
  { config: { root }, state }: Subject,
  signal: AbortSignal,
): Promise<CheckFinding[]> {
  if (!state) return []
  await rejectUnresponsive(root, root)
  const byFault = new Map<ScopeFault, UserRecord[]>()
  for (const user of Object.values(state.users).slice(0, mostChecked)) {
    signal.throwIfAborted()
    const fault = await scopeFault(root, user.scope)
    if (fault) byFault.set(fault, [...(byFault.get(fault) ?? []), user])
  }
  if (byFault.size === 0) return [fine('users.scope', 'The folder of every user can be opened.')]
  return [...byFault].map(([fault, users]) => {
    const whose = someOf(users.map(({ username, scope }) => `${scope} of ${username}`))
    const { level, text } = scopeFaults[fault]
    return finding(`users.scope.${fault}`, level, `${text}: ${whose}.`, {
      names: users.flatMap(({ username, scope }) => [username, scope]),
    })
  })
}

const scopeFaults = {
  missing: { level: 'advice', text: 'Coffer creates these missing folders at the next sign-in' },
  outside: { level: 'error', text: 'These folders are symbolic links that lead out of the served folder' },
  file: { level: 'error', text: 'These users have a file instead of a folder' },
  denied: { level: 'error', text: 'Coffer cannot read these folders' },
} as const
type ScopeFault = keyof typeof scopeFaults

async function scopeFault(root: string, scope: string): Promise<ScopeFault | undefined> {
  const path = join(root, scope)
  const real = await realpath(path).catch((error: unknown) => errnoOf(error) ?? 'failed')
  if (!real.startsWith('/') && process.platform !== 'win32') return real === 'ENOENT' ? 'missing' : 'denied'
  if (!isInside(real, root)) return 'outside'
  const stats = await stat(real).catch(() => undefined)
  if (!stats) return 'denied'
  if (!stats.isDirectory()) return 'file'
  return (await accessFault(real, 'read')) ? 'denied' : undefined
}

const mostRules = 50

/** Checks the rules: patterns that are invalid, and rules that can never match. */
export async function checkRules({ state }: Subject): Promise<CheckFinding[]> {
  if (!state) return []
  const found = [
    ...state.settings.rules.flatMap((rule, index) => ruleFindings(rule, { index })),
    ...Object.values(state.users).flatMap(({ username: user, rules }) =>
      rules.flatMap((rule, index) => ruleFindings(rule, { index, user })),
    ),
  ]
  return found.length > 0 ? found.slice(0, mostRules) : [fine('rules', 'All rules can match.')]
}

function ruleFindings(rule: Rule, { index, user }: { index: number; user?: string }): CheckFinding[] {
  const fault = ruleFault(rule)
  if (!fault) return []
  const written = rule.regex ? (rule.regexp?.raw ?? '') : rule.path
  const whose = user === undefined ? 'for all users' : `of ${user}`
  const more = {
    names: [...(user === undefined ? [] : [user]), written],
    lines: { shell: `coffer rules rm ${index}${user === undefined ? '' : ` --username ${user}`}` },
  }
  const about = `Rule ${index} ${whose} (${written})`
  // An invalid pattern fails closed.
  return fault === unmatched
    ? [finding('rules.unused', 'warning', `${about} ${fault}.`, more)]
    : [finding('rules.invalid', 'error', `${about} ${fault}. It denies everything.`, more)]
}

const unmatched = 'can never match, because every path begins with a slash'

function ruleFault({ regex, path, regexp }: Rule): string | undefined {
  if (!regex) return path.startsWith('/') ? undefined : unmatched
  const raw = regexp?.raw ?? ''
  if (raw === '') return 'is not a valid RE2 pattern: it is empty'
  const fault = patternFault(raw)
  if (fault) return fault
  // Every path begins with a slash, so that a letter or a digit at its beginning cannot match.
  return /^\^[\p{L}\p{N}_-](?![?*{|])/u.test(raw) && !raw.includes('|') ? unmatched : undefined
}

/** Checks that the shared files exist. */
export async function checkShares(
  { config: { root }, state }: Subject,
  signal: AbortSignal,
): Promise<CheckFinding[]> {
  if (!state) return []
  await rejectUnresponsive(root, root)
  const shares = Object.values(state.shares)
  const gone: { path: string; user: string }[] = []
  for (const { userID, path } of shares.slice(0, mostChecked)) {
    signal.throwIfAborted()
    const owner = ownerOf(state, userID)
    const file = join(root, owner?.scope ?? '', path)
    const errno = owner ? await lstat(file).then(() => undefined, errnoOf) : 'ENOENT'
    if (errno === 'ENOENT' || errno === 'ENOTDIR')
      gone.push({ path, user: owner?.username ?? `user ${userID}` })
  }
  if (gone.length === 0) return [fine('shares', `The files of all ${shares.length} shares exist.`)]
  const list = someOf(gone.map(({ path, user }) => `${path} of ${user}`))
  const text = `The shared files of ${gone.length} shares do not exist: ${list}. Delete these shares in the settings.`
  return [finding('shares.gone', 'advice', text, { names: gone.flatMap(({ path, user }) => [path, user]) })]
}

function ownerOf({ users }: State, id: number): UserRecord | undefined {
  return Object.values(users).find((user) => user.id === id)
}

/** Checks how the passwords are stored. */
export async function checkPasswords({ state }: Subject): Promise<CheckFinding[]> {
  if (!state) return []
  const old = Object.values(state.credentials.passwords).filter((hash) => hash.startsWith('$2')).length
  if (old === 0) return [fine('passwords', 'All passwords are stored as argon2id hashes.')]
  const text = `${old} passwords are still stored as hashes of File Browser. Coffer replaces each at the next sign-in.`
  return [finding('passwords.old', 'advice', text)]
}
