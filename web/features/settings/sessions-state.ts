import { proxy } from 'valtio'
import type { SessionView } from '#contract/auth.ts'
import { api } from '#web/api/client.ts'
import { codeOf, problemMessage } from '#web/api/problems/problem-text.ts'
import type { Proof } from '#web/shared/forms/submit.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** The user's sessions, last used first. */
export const sessions = proxy({ list: [] as SessionView[] })

/** Fetches the list; shows an error if that fails. */
export async function loadSessions(): Promise<void> {
  try {
    sessions.list = await api('GET /api/sessions')
  } catch (error) {
    showToast('error', problemMessage(error))
  }
}

/**
 * Ends one session and reloads the list. An already ended session is not an error. @throws ApiProblem `auth.proof` …
 */
export async function endSession(id: string, proof: Proof): Promise<void> {
  try {
    await api('DELETE /api/sessions/:id', { params: { id }, body: proof })
  } catch (error) {
    if (codeOf(error) !== 'session.unknown') throw error
  }
  await loadSessions()
}

/** Ends all other sessions, including those not in the list yet. @throws ApiProblem `auth.proof` … */
export async function endOtherSessions(proof: Proof): Promise<void> {
  await api('DELETE /api/sessions', { body: proof })
  await loadSessions()
}
