import { proxy } from 'valtio'
import type { ShareView } from '#contract/shares.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { session } from '#web/shared/session.ts'
import { deleteShare, sortShares } from '../share-state.ts'

/** A share with the name of its owner; undefined when it is the user's own. */
export type OwnedShare = ShareView & { owner: string | undefined }

/** The shares that the user may delete: their own, for administrators all. */
export const sharesState = proxy({
  /** Undefined until the shares are loaded. */
  list: undefined as OwnedShare[] | undefined,
  /** The error message if loading failed. */
  failure: '',
})

/** Fetches the list: the user's own shares first, then those of others by owner. */
export async function loadShares(): Promise<void> {
  // The old list may belong to another user who was signed in before.
  Object.assign(sharesState, { list: undefined, failure: '' })
  const userId = session.user?.id
  try {
    const all = await api('GET /api/shares')
    const names = await namesOf(all)
    // Another user may have signed in meanwhile. That user's own request fills the list.
    if (session.user?.id !== userId) return
    const own = sortShares(all.filter(isOwn)).map((link) => ({ ...link, owner: undefined }))
    const others = sortShares(all.filter((link) => !isOwn(link)))
      .map((link) => ({ ...link, owner: names.get(link.userID) ?? `#${link.userID}` }))
      .sort((a, b) => a.userID - b.userID)
    Object.assign(sharesState, { list: [...own, ...others], failure: '' })
  } catch (error) {
    if (session.user?.id !== userId) return
    Object.assign(sharesState, { list: [], failure: problemMessage(error) })
  }
}

/** Deletes a share on the server and from the list. @throws ApiProblem */
export async function deleteShareFromList(hash: string): Promise<void> {
  await deleteShare(hash)
  sharesState.list = sharesState.list?.filter((link) => link.hash !== hash)
}

/** Shows a share as it is after a change. */
export function showChanged(changed: ShareView): void {
  sharesState.list = sharesState.list?.map((link) =>
    link.hash === changed.hash ? { ...changed, owner: link.owner } : link,
  )
}

function isOwn({ userID }: ShareView): boolean {
  return userID === session.user?.id
}

/** User names by id. Only administrators see shares of others, and only they may list users. */
async function namesOf(all: readonly ShareView[]): Promise<ReadonlyMap<number, string>> {
  if (all.every(isOwn)) return new Map()
  return new Map((await api('GET /api/users')).map(({ id, username }) => [id, username]))
}
