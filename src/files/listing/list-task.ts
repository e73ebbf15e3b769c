import type { Rule, Sorting } from '#contract/users.ts'
import type { Coding } from '#src/core/zlib/content-coding.ts'
import type { SafePath } from '#src/files/paths/scope.ts'

/** An open folder, and what a user may see in it. Plain data, so that it can be sent to a worker thread. */
export interface ShownFolder {
  /** The path of the open folder for system calls, and its real path. */
  address: string
  real: string
  /** Real path of the scope, and the secret paths in it. */
  root: SafePath
  secret: readonly string[]
  /** The path of the folder as requested. */
  path: string
  rules: readonly Rule[]
  hideDotfiles: boolean
}

/** The data for listing one folder. */
export interface ListTask extends ShownFolder {
  sorting: Sorting
  /** A language tag such as `sv-se`: names are sorted in the order of this language. Undefined: English. */
  language?: string
  /** The URL path of the page that shows the entries; undefined: `/files`. */
  page?: string
  /** How the thread makes a compressed answer; undefined: it returns the items alone. */
  compressed?: CompressedAnswer
}

/** What a compressed answer needs besides the items. */
export interface CompressedAnswer {
  /** The codings that the client accepts, best first. */
  codings: readonly Coding[]
  frame: ListingFrame
}

/** The JSON text around the items, before and after the numbers of folders and files. */
export interface ListingFrame {
  before: string
  after: string
}
