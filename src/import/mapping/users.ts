import { bcryptFault } from '#src/core/access/bcrypt.ts'
import { isHash } from '#src/core/access/passwords.ts'
import { Problem } from '#src/core/problem.ts'
import { type Fields, RecordFault } from '#src/import/reading/fields.ts'
import type { ReportWriter } from '#src/import/report/report.ts'
import { shown } from '#src/import/report/shown.ts'
import type { UserRecord } from '#src/state/state.ts'
import {
  commandsOf,
  createPatternCheck,
  type PatternCheck,
  permissionsOf,
  rulesOf,
  type Tell,
} from './access.ts'
import { createNames } from './names.ts'
import { preferencesOf } from './preferences.ts'
import { folderAt, type Served, scopeOf } from './scopes.ts'

/** A user as Coffer stores it, with the hash of the password. Undefined: the user needs a new password. */
export interface MappedUser {
  record: UserRecord
  hash: string | undefined
  /** The id in the file, which shares refer to. Zero: none. */
  previousId: number
}

/** The URLs of the API allow no higher ids. */
const highestId = 2 ** 31 - 1

/**
 * Returns the users of a file, by id. Each keeps its id, unless it has none, or another user has it.
 *
 * @throws RecordFault when a user cannot be imported at all.
 */
export async function mapUsers(
  users: readonly Fields[],
  served: Served,
  report: ReportWriter,
): Promise<MappedUser[]> {
  const ids = createIds(users)
  const names = createNames()
  const withIds = users.map((fields) => ({ fields, id: ids.take(fields) })).sort((a, b) => a.id - b.id)
  const mapped: MappedUser[] = []
  const patterns = createPatternCheck()
  for (const { fields, id } of withIds)
    mapped.push(await mapUser(fields, { id, names, patterns, served, report }))
  return mapped
}

function createIds(users: readonly Fields[]) {
  const isUsable = (id: number) => id >= 1 && id <= highestId
  const taken = new Set<number>()
  let next = users
    .map((user) => user.whole('id'))
    .reduce((most, id) => (isUsable(id) ? Math.max(most, id) : most), 0)
  return {
    take(user: Fields): number {
      const id = user.whole('id')
      const own = isUsable(id) && !taken.has(id) ? id : ++next
      if (own > highestId) throw new RecordFault(`there is no free id for ${user.where}`)
      taken.add(own)
      return own
    },
  }
}

interface UserContext {
  id: number
  names: ReturnType<typeof createNames>
  patterns: PatternCheck
  served: Served
  report: ReportWriter
}

async function mapUser(
  fields: Fields,
  { id, names, patterns, served, report }: UserContext,
): Promise<MappedUser> {
  const written = fields.text('username')
  const { name, reason } = names.of(written, id)
  const told: Parameters<Tell>[] = []
  const tell: Tell = (outcome, detail) => void told.push([outcome, detail])
  const previousId = fields.whole('id')
  const perm = permissionsOf(fields.fields('perm'), tell)
  const scope = await scopeIn(fields, served, tell)
  const record: UserRecord = {
    id,
    username: name,
    scope,
    lockPassword: fields.flag('lockPassword') && !perm.admin,
    perm,
    commands: commandsOf(fields.texts('commands'), tell),
    rules: rulesOf(fields.objects('rules'), patterns, tell),
    ...preferencesOf(fields, tell),
  }
  if (reason) tell('changed', `the name was "${shown(written)}": ${reason}`)
  if (id !== previousId) tell('changed', `the id was ${previousId}, which no user or another user can have`)
  if (fields.flag('lockPassword') && perm.admin)
    tell('changed', 'an administrator can always change the password')
  if (fields.text('css')) tell('dropped', 'the style sheet of a user: use custom.css in the branding folder')
  await noteMissing(scope, served, tell)
  const hash = hashOf(fields, tell)
  report.note('user', name, 'imported', `id ${id}, scope ${scope}${perm.admin ? ', administrator' : ''}`)
  for (const [outcome, detail] of told) report.note('user', name, outcome, detail)
  return { record, hash, previousId }
}

/** @throws RecordFault, because without its scope a user would see all files. */
async function scopeIn(fields: Fields, served: Served, tell: Tell): Promise<string> {
  try {
    return await scopeOf(fields.text('scope'), served, tell)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new RecordFault(`the scope of ${fields.where} cannot be used, because ${error.message}`, {
      cause: error,
    })
  }
}

/** Coffer creates the folder of a scope at the first sign-in. */
async function noteMissing(scope: string, served: Served, tell: Tell): Promise<void> {
  const found = await folderAt(scope as never, served)
  if (found === 'missing')
    tell('changed', `the folder ${scope} does not exist: Coffer creates it when the user signs in`)
  else if (found !== 'folder')
    tell(
      'changed',
      `the scope ${scope} cannot be opened: ${found}. The user cannot sign in until you change it`,
    )
}

function hashOf(fields: Fields, tell: Tell): string | undefined {
  const hash = fields.text('password')
  if (isHash(hash)) return hash
  const reason = hash === '' ? 'there is none' : bcryptFault(hash)
  tell('dropped', `the password: ${reason}. The user needs a new one`)
  return undefined
}
