import { proxy } from 'valtio'
import type { HeldView } from '#contract/history/held.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import type { Proof } from '#web/shared/forms/submit.ts'
import { session } from '#web/shared/session.ts'

/** The received files that are held back: the user's own ones, for administrators all. */
export const heldState = proxy({
  /** Undefined until they are loaded. */
  list: undefined as HeldView[] | undefined,
  /** The error message if loading failed. */
  failure: '',
})

/** Fetches the list. Keeps the shown one until the new one has arrived. */
export async function loadHeld(): Promise<void> {
  const userId = session.user?.id
  try {
    const list = await api('GET /api/held')
    // Another user may have signed in meanwhile. That user's own request fills the list.
    if (session.user?.id === userId) Object.assign(heldState, { list, failure: '' })
  } catch (error) {
    if (session.user?.id === userId) Object.assign(heldState, { list: [], failure: problemMessage(error) })
  }
}

/** Forgets the list, which may belong to another user who was signed in before. */
export function forgetHeld(): void {
  Object.assign(heldState, { list: undefined, failure: '' })
}

/** Deletes a held file on the server and from the list. @throws ApiProblem */
export async function deleteHeld(id: string): Promise<void> {
  await api('DELETE /api/held/:id', { params: { id } })
  removeLine(id)
}

/** Puts a held file at its place. @throws ApiProblem */
export async function releaseHeld(id: string, proof: Proof): Promise<void> {
  await api('POST /api/held/:id/release', { params: { id }, body: proof })
  removeLine(id)
}

function removeLine(id: string): void {
  heldState.list = heldState.list?.filter((one) => one.id !== id)
}
