import { ApiProblem, type FailureCode } from '#web/api/client.ts'
import { codeOf, fieldOf, problemMessage } from '#web/api/problems/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'

const ProofDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ProofDialog)

/** The user's current password, as a part of a request body. Empty until the server asks for it. */
export interface Proof {
  current_password?: string
}

/**
 * Saves, and shows `success` or the refusal of the server. Returns whether it succeeded.
 *
 * @param success a function if the sentence is known only after saving, in a language that was chosen
 * @param refused handles the refusal of one value, for a form that shows it at the field
 */
export async function submitForm(
  success: string | (() => string),
  save: (proof: Proof) => Promise<unknown>,
  refused?: (problem: ApiProblem) => void,
): Promise<boolean> {
  try {
    await withPassword(save)
  } catch (error) {
    if (refused && error instanceof ApiProblem && fieldOf(error)) refused(error)
    else if (codeOf(error) !== 'network.aborted') showToast('error', problemMessage(error))
    return false
  }
  showToast('success', typeof success === 'string' ? success : success())
  return true
}

/** Codes after which nothing was changed and another password may be tried. */
const aboutPassword: readonly FailureCode[] = ['auth.proof', 'auth.limited', 'password.current']

/**
 * Makes a call. If the server requires the current password (contract/README.md#users-and-settings), asks for it in a
 * dialog and repeats the call. A wrong password is shown in the dialog, which stays open.
 *
 * @throws ApiProblem `network.aborted` when the user cancels, or the refusal of the call.
 */
export async function withPassword(save: (proof: Proof) => Promise<unknown>): Promise<void> {
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
  // If the dialog was closed while the call runs, its result is still reported.
  if (!running) throw new ApiProblem(0, 'network.aborted', 'cancelled')
  await running
}
