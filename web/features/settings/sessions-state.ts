import { proxy } from 'valtio'
import type { SessionView } from '#contract/auth.ts'
import { api } from '#web/api/client.ts'
import { sentenceOf } from '#web/app/attempt.ts'
import { tell } from '#web/ui/toasts.ts'

/** Where the person is signed in, last used first. */
export const sessions = proxy({ list: [] as SessionView[] })

/** Fetches the list anew; a failure is told. */
export async function loadSessions(): Promise<void> {
  try {
    sessions.list = await api('GET /api/sessions')
  } catch (error) {
    tell('error', sentenceOf(error))
  }
}

/** Ends one session, on the server and in the list. @throws ApiProblem `session.unknown` */
export async function endSession(id: string): Promise<void> {
  await api('DELETE /api/sessions/:id', { params: { id } })
  sessions.list = sessions.list.filter((one) => one.id !== id)
}

/** Ends every session but this one. @throws ApiProblem as `endSession` does; those ended before stay ended. */
export async function endOthers(): Promise<void> {
  for (const { id, current } of sessions.list) if (!current) await endSession(id)
}
