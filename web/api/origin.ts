import type { FileView, Listing } from '#contract/resources.ts'
import type { ShareOffer } from '#contract/shares.ts'
import type { Sorting } from '#contract/users.ts'
import { api } from './client.ts'
import { type OnStart, readParts } from './listing-parts.ts'

/** How a folder or file is read. */
export interface Reading {
  signal: AbortSignal
  /** Called with the etag of a file, for `If-Match`. */
  onEtag?(etag: string): void
  /** The password of a share, as it was typed. */
  password?: string | undefined
  /** Called with the beginning of a long listing, while the rest arrives. */
  onStart?: OnStart
}

/** How `api` reads the response for a folder or a file. */
export function readerOf({ onStart }: Reading) {
  return onStart && ((response: Response) => readParts(response, onStart))
}

/** A share that the page shows. */
export interface Share {
  readonly hash: string
  /** The name of the shared folder, once it was read. */
  name: string
  /**
   * Unlocks a share with a password for an hour (contract/README.md#shares); empty: it has no password or is locked.
   */
  token: string
  /** When the token was issued, in milliseconds since 1970. */
  openedAt: number
  /** What the sender says and allows, once it was read; undefined: only to view and to download. */
  offer: ShareOffer | undefined
  /** The ticket of this visit, by which the server knows the files that the visitor has sent; empty: none yet. */
  visit: string
  /** The sort order in all its folders. */
  sorting: Sorting
  /** Reads the folder or file at `path`, as `readResource` does. */
  read(path: string, options: Reading): Promise<Listing | FileView>
}

/**
 * Where the page reads files from: a share, or, if undefined, the folder of the signed-in user. The reading calls use
 * it, so the same list and the same previews show both.
 */
export const origin = {
  link: undefined as Share | undefined,
  /** Called when the password of the share is needed again. */
  onLocked: (): void => {},
  /** Called when a share has another ticket of its visit. */
  onVisit: (_link: Share): void => {},
}

/**
 * Reads the folder or file at `path`.
 *
 * @throws ApiProblem when it cannot be read; `share.password` when a share needs its password.
 */
export async function readResource(path: string, options: Reading): Promise<Listing | FileView> {
  return origin.link
    ? origin.link.read(path, options)
    : api(
        'GET /api/resources/*',
        { params: { '*': path }, query: {} },
        { ...options, read: readerOf(options) },
      )
}
