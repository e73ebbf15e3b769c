import { proxy } from 'valtio'
import type { ShareView } from '#contract/shares.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { session } from '#web/shared/session.ts'
import { problemMessage } from '#web/shared/submit.ts'
import { endLink, sortLinks } from './share-state.ts'

/** A link with the name of its owner; undefined: it is the person's own. */
export interface OwnedLink extends ShareView {
  owner: string | undefined
}

/** The links that the person may end: their own, for an administrator all. */
export const links = proxy({
  /** Undefined until they are loaded. */
  list: undefined as OwnedLink[] | undefined,
  /** Why they could not be loaded. */
  failure: '',
})

/** Fetches the list anew: the person's own links first, then those of others by owner. */
export async function loadLinks(): Promise<void> {
  // Somebody else may have been signed in when they were loaded before.
  Object.assign(links, { list: undefined, failure: '' })
  const reader = session.user?.id
  try {
    const all = await api('GET /api/shares')
    const names = await namesOf(all)
    // Somebody else may have signed in meanwhile; their own call fills the list.
    if (session.user?.id !== reader) return
    const own = sortLinks(all.filter(isOwn)).map((link) => ({ ...link, owner: undefined }))
    const others = sortLinks(all.filter((link) => !isOwn(link)))
      .map((link) => ({ ...link, owner: names.get(link.userID) ?? `#${link.userID}` }))
      .sort((a, b) => a.userID - b.userID)
    Object.assign(links, { list: [...own, ...others], failure: '' })
  } catch (error) {
    if (session.user?.id !== reader) return
    Object.assign(links, { list: [], failure: problemMessage(error) })
  }
}

/** Ends a link, on the server and in the list; one that has ended already counts as done. @throws ApiProblem */
export async function endAndForget(hash: string): Promise<void> {
  try {
    await endLink(hash)
  } catch (error) {
    if (codeOf(error) !== 'share.unknown') throw error
  }
  links.list = links.list?.filter((link) => link.hash !== hash)
}

function isOwn({ userID }: ShareView): boolean {
  return userID === session.user?.id
}

/** User names by id. Only administrators see links of others, and only they may ask for all users. */
async function namesOf(all: readonly ShareView[]): Promise<ReadonlyMap<number, string>> {
  if (all.every(isOwn)) return new Map()
  return new Map((await api('GET /api/users')).map(({ id, username }) => [id, username]))
}
