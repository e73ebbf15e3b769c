import type { KeepingSettings } from '#contract/history/kept.ts'
import type { SharingPolicy } from '#contract/shares.ts'
import { entryOf } from '#src/core/lookup.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import { defaultKeeping, defaultSharing } from './defaults.ts'
import type { StateDocument } from './document.ts'
import { type Draft, draftOf } from './draft.ts'
import type { SettingsRecord, ShareRecord, State, UserRecord } from './state.ts'

/**
 * The state of the product, asked by key. The records that it returns never change: they are replaced. Today all of them
 * are in one document in memory. A database is another implementation of this interface.
 */
export interface Store {
  readonly users: {
    /** Undefined: there is none, or it was deleted. */
    byId(id: number): Promise<UserRecord | undefined>
    /** The user with this name in any case and Unicode form. */
    byName(username: string): Promise<UserRecord | undefined>
    /** The user with exactly this name. */
    byExactName(username: string): Promise<UserRecord | undefined>
    /** All users, by id. */
    list(): Promise<readonly UserRecord[]>
  }
  /** Hashes of passwords. Not in the records of users, so that no listing can leak one. */
  readonly passwords: {
    /** The hash of the user with this id. */
    of(id: number): Promise<string | undefined>
    list(): Promise<readonly string[]>
  }
  readonly links: {
    byHash(hash: string): Promise<ShareRecord | undefined>
    list(): Promise<readonly ShareRecord[]>
  }
  readonly settings: { get(): Promise<SettingsRecord> }
  /** The password of the mail server. Not in the settings, so that no view of them can leak it. */
  mailPassword(): Promise<string | undefined>
  /** The generated password of the first administrator, until it has been printed. */
  unprinted(): Promise<State['unprinted']>
  readonly current: Current
  /**
   * Applies `edit` to a copy, stores the copy durably, then makes it current. When `edit` or the write throws, nothing
   * changes. Changes run one after the other. Returns the result of `edit`.
   *
   * @throws Problem `request.invalid` for a state that the next start would not load. It is not written.
   */
  change<T>(edit: (draft: Draft) => T): Promise<T>
  /** Calls `listener` after each change that has removed shares, for whatever reason. It must not throw. */
  onLinksRemoved(listener: (hashes: readonly string[]) => void): void
}

/**
 * What this process knows at this moment, without waiting. For checks of access, and for checks directly before a change:
 * nothing can be revoked between such a check and what it protects. An implementation that shares its records with other
 * processes must keep these in memory and follow their changes.
 */
export interface Current {
  user(id: number): UserRecord | undefined
  hasAdmin(): boolean
  link(hash: string): ShareRecord | undefined
  /** The share with this name in its address, in lower case. */
  linkBySlug(slug: string): ShareRecord | undefined
  settings(): SettingsRecord
  /** What is kept of deleted and replaced entries, by the settings or by default. */
  keeping(): KeepingSettings
  /** What users may share, by the settings or by default. */
  sharing(): SharingPolicy
  /** The key of tokens and tickets. */
  signingKey(): Buffer
}

/** Returns the store whose records are in this document. */
export function createStore(document: StateDocument): Store {
  const listeners: ((hashes: readonly string[]) => void)[] = []
  const listUsers = () => Object.values(document.data.users).sort((a, b) => a.id - b.id)
  const current: Current = {
    user: (id) => entryOf(document.data.users, id),
    hasAdmin: () => Object.values(document.data.users).some(({ perm }) => perm.admin),
    link: (hash) => entryOf(document.data.shares, hash),
    linkBySlug: createSlugIndex(() => document.data.shares),
    settings: () => document.data.settings,
    keeping: () => document.data.settings.keeping ?? defaultKeeping,
    sharing: () => document.data.settings.sharing ?? defaultSharing,
    signingKey: () => Buffer.from(document.data.credentials.signingKey, 'base64'),
  }
  return {
    users: {
      byId: async (id) => current.user(id),
      async byName(username) {
        const key = userNameKey(username)
        return listUsers().find((one) => userNameKey(one.username) === key)
      },
      byExactName: async (username) => listUsers().find((one) => one.username === username),
      list: async () => listUsers(),
    },
    passwords: {
      of: async (id) => entryOf(document.data.credentials.passwords, id),
      list: async () => Object.values(document.data.credentials.passwords),
    },
    links: {
      byHash: async (hash) => current.link(hash),
      list: async () => Object.values(document.data.shares),
    },
    settings: { get: async () => document.data.settings },
    mailPassword: async () => document.data.credentials.mailPassword,
    unprinted: async () => document.data.unprinted,
    current,
    async change(edit) {
      const removed: string[] = []
      const result = await document.update((state) => edit(draftOf(state, (hash) => removed.push(hash))))
      // A change may also set a share again that it has removed.
      const gone = removed.filter((hash) => !current.link(hash))
      if (gone.length > 0) for (const listener of listeners) listener(gone)
      return result
    },
    onLinksRemoved: (listener) => void listeners.push(listener),
  }
}

/** Finds shares by the name in their address. The index is made again after a change, which replaces the records. */
function createSlugIndex(shares: () => State['shares']): (slug: string) => ShareRecord | undefined {
  let indexed: { of: State['shares']; bySlug: Map<string, ShareRecord> } | undefined
  return (slug) => {
    const now = shares()
    if (indexed?.of !== now) {
      const named = Object.values(now).flatMap((share) => {
        const name = share.conditions?.slug
        return name ? [[name, share] as const] : []
      })
      indexed = { of: now, bySlug: new Map(named) }
    }
    return indexed.bySlug.get(slug)
  }
}
