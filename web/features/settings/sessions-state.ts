import { proxy } from 'valtio'
import type { SessionView } from '#contract/auth.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { problemMessage } from '#web/shared/submit.ts'
import { tell } from '#web/ui/toasts.ts'

/** Where the person is signed in, last used first. */
export const sessions = proxy({ list: [] as SessionView[] })

/** Fetches the list anew; a failure is told. */
export async function loadSessions(): Promise<void> {
  try {
    sessions.list = await api('GET /api/sessions')
  } catch (error) {
    tell('error', problemMessage(error))
  }
}

/** Ends one session, on the server and in the list. One that has ended already is what was wanted. @throws ApiProblem */
export async function endSession(id: string): Promise<void> {
  try {
    await api('DELETE /api/sessions/:id', { params: { id } })
  } catch (error) {
    if (codeOf(error) !== 'session.unknown') throw error
  }
  await loadSessions()
}

/** Ends every session but this one, also those that the list does not show yet. @throws ApiProblem */
export async function endOthers(): Promise<void> {
  await api('DELETE /api/sessions')
  await loadSessions()
}
