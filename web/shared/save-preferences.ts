import { snapshot } from 'valtio'
import type { Preferences } from '#contract/users.ts'
import { api, renew } from '#web/api/client.ts'
import { createSemaphore } from './semaphore.ts'
import { session } from './session.ts'

// Requests can overtake each other. The last change must be saved last.
const saving = createSemaphore(1)

/**
 * Changes display preferences of the user, here at once and on the server for every device
 * (contract/README.md#users-and-settings).
 *
 * @throws ApiProblem when the server refuses. The change is then undone here, too.
 */
export async function savePreferences(data: Partial<Preferences>): Promise<void> {
  const { user } = session
  if (!user) return
  const before = snapshot(user)
  Object.assign(user, data)
  const which = Object.keys(data) as (keyof Preferences)[]
  const release = await saving.acquire()
  try {
    await api('PUT /api/users/:id', {
      params: { id: user.id },
      body: { what: 'user', which, data: { id: user.id, ...data } },
    })
  } catch (error) {
    // Preferences that were changed again meanwhile are newer and are not undone.
    const isOurs = (name: keyof Preferences) => isSame(session.user?.[name], data[name])
    const back = which.filter(isOurs).map((name) => [name, before[name]])
    if (session.user?.id === user.id) Object.assign(session.user, Object.fromEntries(back))
    throw error
  } finally {
    release()
  }
  // The token contains the preferences, and the page reads them from it when it loads.
  await renew()
}

/** Compares preferences, which are small values, or an object for the sort order. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
