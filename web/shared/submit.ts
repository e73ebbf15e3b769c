import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiProblem, type FailureCode } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { tell } from '#web/ui/toasts.ts'

const ProofDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ProofDialog)

/** The password of the person, as a part of the body of a call; empty as long as the server does not ask for it. */
export interface Proof {
  current_password?: string
}

/** The sentence for anything that was thrown; for a value the server refused, also which and why. */
export function problemMessage(error: unknown): string {
  const code = codeOf(error)
  const sentence = i18n._(problemText(code))
  const [, minimum] = (code === 'password.weak' && /(\d+)/.exec((error as ApiProblem).message)) || []
  if (minimum) return i18n._(msg`This password is too short. Use at least ${minimum} characters.`)
  return code === 'request.invalid' && error instanceof ApiProblem
    ? `${sentence} (${error.message})`
    : sentence
}

/**
 * Saves: tells `success`, or why the server refused. Answers whether it was done.
 *
 * @param refused takes a refusal of one value, for a form that shows it where the value stands
 */
export async function submitForm(
  success: string,
  save: (proof: Proof) => Promise<unknown>,
  refused?: (problem: ApiProblem) => void,
): Promise<boolean> {
  try {
    await proved(save)
  } catch (error) {
    if (refused && error instanceof ApiProblem && error.field) refused(error)
    else if (codeOf(error) !== 'network.aborted') tell('error', problemMessage(error))
    return false
  }
  tell('success', success)
  return true
}

/** Codes that mean: no change was made, and another password may be tried. */
const aboutPassword: readonly FailureCode[] = ['auth.proof', 'auth.limited', 'password.current']

/**
 * Makes a call. Where the server needs the person's password for it (contract/README.md#users-and-settings), asks for the password in a dialog and
 * makes the same call again. A wrong password is shown in the dialog, which stays open.
 *
 * @throws ApiProblem `network.aborted` when the person cancels, or why the call was refused for another reason.
 */
async function proved(save: (proof: Proof) => Promise<unknown>): Promise<void> {
  try {
    await save({})
    return
  } catch (error) {
    if (codeOf(error) !== 'auth.proof') throw error
  }
  let running: Promise<unknown> | undefined
  const retry = async (password: string) => {
    running = save({ current_password: password })
    try {
      await running
    } catch (error) {
      if (!aboutPassword.includes(codeOf(error))) return undefined
      running = undefined
      return problemMessage(error)
    }
    return undefined
  }
  await ask(ProofDialog, { retry })
  // Closed while the call runs: how it ends is still reported.
  if (!running) throw new ApiProblem(0, 'network.aborted', 'cancelled')
  await running
}
