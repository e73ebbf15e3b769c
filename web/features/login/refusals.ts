import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiProblem } from '#web/api/client.ts'
import { codeOf, problemMessage } from '#web/api/problems/problem-text.ts'
import { loadAllMessages } from '#web/shared/i18n.ts'

/** The fields of the forms for the first password. `form`: the refusal is about no single field. */
export type RefusedField = 'code' | 'username' | 'password' | 'confirm' | 'form'

/** Why a form was refused, by field. */
export type Refusals = Partial<Record<RefusedField, string>>

/**
 * Waits for the sentences of all problem codes. The sign-in page does without them until the server refuses something. If
 * they cannot be fetched, the refusal has a general sentence.
 */
export async function allSentences(): Promise<void> {
  await loadAllMessages().catch(() => undefined)
}

/** The refusal of the server, at the field that it is about. Nothing if the user has cancelled the question for the password. */
export function refusalsOf(error: unknown): Refusals {
  const code = codeOf(error)
  if (code === 'network.aborted') return {}
  if (code === 'auth.wrong') return { code: i18n._(msg`This code is wrong. Use the newest one in the log.`) }
  if (code === 'user.name' || code === 'user.exists') return { username: problemMessage(error) }
  if (code === 'password.weak' || code === 'password.common') return { password: problemMessage(error) }
  if (error instanceof ApiProblem && error.field === 'data.password')
    return { password: i18n._(msg`Choose a password that differs from the current one.`) }
  return { form: problemMessage(error) }
}
