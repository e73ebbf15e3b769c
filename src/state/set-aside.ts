import { entryOf, removeEntry } from '#src/core/lookup.ts'
import { type ShareRecord, type State, shareFault, stateFault, userFault } from './state.ts'

/** A damaged record that was removed from the state, with everything that belongs to it. */
export interface SetAside {
  version: State['version']
  kind: 'user' | 'link'
  /** Key of the record in the state: the id of a user or of a share. */
  key: string
  /** The error, such as `/perm: must be object`. */
  fault: string
  record: unknown
  /** Of a user: the hash of the password, and the shares that the user created. */
  password?: unknown
  links?: Record<string, unknown>
}

/** Higher ids are never assigned, because the URLs of the API do not allow them. */
const highestId = 2 ** 31 - 1

/**
 * Removes damaged users and shares from a state of the current version, so that the rest can be used. A damaged user is
 * removed as a whole, with password and shares: without a damaged rule, the user could do more than before. Ids that
 * occur anywhere are never assigned again. Everything else must be valid.
 *
 * @param content a state after its migrations; not changed
 * @returns `fault` is the error when the state cannot be used at all
 */
export function setAsideDamaged(content: unknown): { state: State; aside: SetAside[] } | { fault: string } {
  const fault = stateFault(content)
  if (!fault) return { state: withFreeId(content as State), aside: [] }
  if (!hasTables(content)) return { fault }
  const draft = structuredClone(content)
  const aside = [...removeDamagedUsers(draft), ...removeDamagedShares(draft)]
  const remainingFault = stateFault(draft)
  if (remainingFault) return { fault: remainingFault }
  const { users } = draft
  if (!Object.values(users).some(({ perm }) => perm.admin))
    return { fault: `${fault}, and no administrator is left` }
  return { state: withFreeId(draft, aside), aside }
}

/**
 * Returns the state with a next id that no user, share or removed record has, because a new user must not inherit
 * theirs.
 */
function withFreeId(state: State, aside: readonly SetAside[] = []): State {
  const ids = [
    ...Object.values(state.users).map(({ id }) => id),
    ...Object.values(state.shares).map(({ userID }) => userID),
    ...Object.keys(state.credentials.passwords).map(Number),
    ...aside.flatMap(({ key, record }) => [Number(key), Number((record as { id?: unknown } | null)?.id)]),
  ]
  const usedIds = ids.filter((id) => Number.isSafeInteger(id) && id <= highestId)
  const nextUserId = usedIds.reduce((next, id) => Math.max(next, id + 1), state.nextUserId)
  return nextUserId === state.nextUserId ? state : { ...state, nextUserId }
}

/** Whether users, passwords and shares are tables, so that single records can be removed. */
function hasTables(content: unknown): content is State {
  const { users, shares, credentials } = (content ?? {}) as Partial<State>
  return [users, shares, credentials, credentials?.passwords].every(
    (table) => typeof table === 'object' && table !== null && !Array.isArray(table),
  )
}

function removeDamagedUsers(draft: State): SetAside[] {
  const { users, credentials, version } = draft
  return Object.entries(users).flatMap(([key, record]) => {
    const passwordHash: unknown = entryOf(credentials.passwords, key)
    const isHash = passwordHash === undefined || typeof passwordHash === 'string'
    const fault = userFault(key, record) ?? (isHash ? undefined : '/password: must be string')
    if (!fault) return []
    removeEntry(users, key)
    removeEntry(credentials.passwords, key)
    const links = Object.fromEntries(Object.entries(draft.shares).filter(([, link]) => isOwner(key, link)))
    for (const hash of Object.keys(links)) removeEntry(draft.shares, hash)
    return [{ version, kind: 'user', key, fault, record, password: passwordHash, links } as const]
  })
}

function removeDamagedShares({ shares, version }: State): SetAside[] {
  return Object.entries(shares).flatMap(([key, record]) => {
    const fault = shareFault(key, record)
    if (!fault) return []
    removeEntry(shares, key)
    return [{ version, kind: 'link', key, fault, record } as const]
  })
}

function isOwner(user: string, link: Partial<ShareRecord> | null): boolean {
  return String(link?.userID) === user
}

/**
 * Returns the name of a record for the log. Includes only the beginning of a share's id, because the whole id gives
 * access. The ids of imported shares are short, so the rest could be guessed if more were known.
 */
export function nameOfRecord({ kind, key, record }: SetAside): string {
  const { username, userID, path } = (record ?? {}) as Record<string, unknown>
  if (kind === 'user') return typeof username === 'string' ? `user ${key} (${username})` : `user ${key}`
  return `share ${key.slice(0, key.length < 22 ? 2 : 6)}… of user ${userID} of ${path}`
}
