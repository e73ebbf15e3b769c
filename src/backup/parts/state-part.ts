import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { entryOf } from '#src/core/lookup.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import type { ShareBinding } from '#src/shares/following/rebind-shares.ts'
import { isNewer, migrate } from '#src/state/migrations.ts'
import { setAsideDamaged } from '#src/state/set-aside.ts'
import type { State, UserRecord } from '#src/state/state.ts'
import { type Manifest, parseJson, unusable } from '../archive/manifest.ts'
import { type Content, jsonContent } from '../archive/write-backup.ts'
import type { CheckedPart, RestoreOptions } from './part.ts'

/** The name and the limits of the state in a backup. */
export const stateFileName = 'state.json'
const bytes = 128 * 1024 ** 2
export const stateLimit = { files: 1, each: bytes, all: bytes }

/** Returns the state as it belongs into a backup. */
export function stateContent({ restoring: _unfinished, ...state }: Readonly<State>): Content {
  return jsonContent(stateFileName, state)
}

/**
 * Parses, migrates and checks the state of a backup. Unlike at a start, one damaged user or share makes all of it
 * unusable: the present state is better.
 *
 * @throws CommandProblem
 */
export function parseState(content: Buffer): State {
  const given = parseJson(content, stateFileName)
  const migrated = tryMigrate(given)
  if (migrated === undefined && isNewer(given)) throw unusable('its state is of a newer version of Coffer')
  if (migrated === undefined) throw unusable('its state has no version')
  const checked = setAsideDamaged(migrated)
  if ('fault' in checked) throw unusable(`its state is damaged at ${checked.fault}`)
  const [first] = checked.aside
  if (first) throw unusable(`its state is damaged: the ${first.kind} ${first.key} has ${first.fault}`)
  const { state } = checked
  const same = sameNameTwice(state)
  if (same !== undefined) throw unusable(`its state has several users with the name ${JSON.stringify(same)}`)
  if (!Object.values(state.users).some(({ perm }) => perm.admin))
    throw unusable('its state has no administrator')
  return state
}

/** A user name that an earlier user of the state has, too; undefined: there is none. */
function sameNameTwice({ users }: State): string | undefined {
  const known = new Set<string>()
  for (const { username } of Object.values(users)) {
    const key = userNameKey(username)
    if (known.has(key)) return username
    known.add(key)
  }
  return undefined
}

/** Migrations copy recursively, so that nesting without end fails. */
function tryMigrate(given: unknown): unknown {
  try {
    const migrated = migrate(given)
    JSON.stringify(migrated)
    return migrated
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw unusable('its state is nested too deeply', error)
  }
}

/**
 * Returns the state to restore. Ids that were used since the backup stay used. Signatures of the backup are invalid,
 * unless its sessions continue: otherwise, tokens that were revoked since then would be valid again.
 */
export async function restoredState(
  parsed: State,
  before: Readonly<State>,
  { manifest, options, binding }: { manifest: Manifest; options: RestoreOptions; binding: ShareBinding },
): Promise<CheckedPart & { state: State }> {
  const isMoved = options.rebindShares ?? !(await binding.isRoot(manifest.root))
  const { shares, rebound, missing } = await binding.bind(parsed, isMoved)
  const { signingKey } = parsed.credentials
  const state: State = {
    ...parsed,
    shares,
    nextUserId: Math.max(parsed.nextUserId, before.nextUserId),
    credentials: {
      ...parsed.credentials,
      signingKey: options.sessions ? signingKey : randomBytes(64).toString('base64'),
    },
  }
  delete state.restoring
  const users = differenceOf(before, state)
  const settings = changedSettings(before, state)
  const total = Object.keys(shares).length
  return {
    state,
    note: undefined,
    summary: { users, settings, shares: { total, rebound, missing } },
    lines: [
      ...Object.entries(users).map(([what, names]) => `users ${what}: ${names.join(', ') || 'none'}`),
      `settings changed: ${settings.join(', ') || 'none'}`,
      `shares: ${sharesText({ total, rebound, missing })}`,
    ],
  }
}

function sharesText({ total, rebound, missing }: Record<'total' | 'rebound' | 'missing', number>): string {
  const parts = [
    String(total),
    ...(rebound > 0 ? [`${rebound} of them found by their path, because the files are on another disk`] : []),
    ...(missing > 0 ? [`${missing} of them without their file`] : []),
  ]
  return parts.join('; ')
}

function differenceOf(before: Readonly<State>, after: Readonly<State>) {
  const isSame = (one: UserRecord) => {
    const other = entryOf(after.users, one.id)
    const hashes = [before, after].map(({ credentials }) => entryOf(credentials.passwords, one.id))
    return isDeepStrictEqual(one, other) && hashes[0] === hashes[1]
  }
  const names = (users: UserRecord[]) => users.map(({ username }) => username)
  const [old, next] = [Object.values(before.users), Object.values(after.users)]
  return {
    added: names(next.filter(({ id }) => !entryOf(before.users, id))),
    removed: names(old.filter(({ id }) => !entryOf(after.users, id))),
    changed: names(old.filter((one) => entryOf(after.users, one.id) && !isSame(one))),
  }
}

function changedSettings(before: Readonly<State>, after: Readonly<State>): string[] {
  const [old, next] = [before, after].map(
    ({ settings }) => new Map<string, unknown>(Object.entries(settings)),
  )
  const keys = new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])
  return [...keys].filter((key) => !isDeepStrictEqual(old?.get(key), next?.get(key)))
}
