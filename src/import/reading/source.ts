import type { Fields } from './fields.ts'

/** What a file of File Browser contains. A part that it cannot contain is undefined. */
export interface Source {
  /** The format, for the report: `database of File Browser 2`. */
  readonly format: string
  readonly users: readonly Fields[] | undefined
  readonly shares: readonly Fields[] | undefined
  /** Shares of version 1: with a path of the disk, without an owner. */
  readonly ownerless: readonly Fields[] | undefined
  readonly settings: Fields | undefined
  /** The start options, and the method of signing in. */
  readonly server: Fields | undefined
  readonly auther: Fields | undefined
  /** Whether it is of version 1, where scopes are paths of the disk. */
  readonly isFirstVersion: boolean
}
