import { entryOf, removeEntry, setEntry } from '#src/core/lookup.ts'
import type { SettingsRecord, ShareRecord, State, UserRecord } from './state.ts'

/** The records of one kind in a changing state. What it returns may be changed. */
export interface Table<Key extends string | number, T> {
  get(key: Key): T | undefined
  list(): T[]
  /** Adds or replaces a record. */
  set(key: Key, value: T): void
  remove(key: Key): void
}

/** A copy of the state inside a change, asked and changed by key. All of it is stored together, or nothing. */
export interface Draft {
  readonly users: Table<number, UserRecord>
  /** Hashes of passwords, by the id of the user. */
  readonly passwords: Table<number, string>
  /** Shares, by their hash. */
  readonly links: Table<string, ShareRecord>
  settings: SettingsRecord
  unprinted: State['unprinted']
  /** The password of the mail server. */
  mailPassword: string | undefined
  /** Returns an id that no user has had. */
  newUserId(): number
}

/**
 * Returns what changes this state.
 *
 * @param onLinkRemoved called with the hash of each share that is removed
 */
export function draftOf(state: State, onLinkRemoved: (hash: string) => void = () => {}): Draft {
  const links = tableOf<string, ShareRecord>(state.shares)
  return {
    users: tableOf(state.users),
    passwords: tableOf(state.credentials.passwords),
    links: {
      ...links,
      remove(hash) {
        links.remove(hash)
        onLinkRemoved(hash)
      },
    },
    get settings() {
      return state.settings
    },
    set settings(settings) {
      state.settings = settings
    },
    get unprinted() {
      return state.unprinted
    },
    set unprinted(unprinted) {
      if (unprinted) state.unprinted = unprinted
      else delete state.unprinted
    },
    get mailPassword() {
      return state.credentials.mailPassword
    },
    set mailPassword(password) {
      if (password === undefined) delete state.credentials.mailPassword
      else state.credentials.mailPassword = password
    },
    newUserId: () => state.nextUserId++,
  }
}

function tableOf<Key extends string | number, T>(entries: Record<string, T>): Table<Key, T> {
  return {
    get: (key) => entryOf(entries, key),
    list: () => Object.values(entries),
    set: (key, value) => setEntry(entries, key, value),
    remove: (key) => removeEntry(entries, key),
  }
}
