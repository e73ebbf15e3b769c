import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiProblem } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { later } from '#web/ui/later.tsx'
import { tell } from '#web/ui/toasts.ts'

const ProofDialog = later(async () => (await import('./later-dialogs.ts')).ProofDialog)

/** The password of the person who asks, in a body's form; empty when the server need not have it. */
export interface Proof {
  current_password?: string
}

/** The sentence for anything that was thrown; for a value the server refused, also which and why. */
export function sentenceOf(error: unknown): string {
  const code = codeOf(error)
  const sentence = i18n._(problemText(code))
  const [, minimum] = (code === 'password.weak' && /(\d+)/.exec((error as ApiProblem).message)) || []
  if (minimum) return i18n._(msg`This password is too short: it needs at least ${minimum} characters.`)
  return code === 'request.invalid' && error instanceof ApiProblem
    ? `${sentence} (${error.message})`
    : sentence
}

/**
 * Saves: tells `success`, or why the server refused. Answers whether it was done.
 *
 * @param refused takes a refusal of one value, for a form that shows it where the value stands
 */
export async function attempt(
  success: string,
  save: (proof: Proof) => Promise<unknown>,
  refused?: (problem: ApiProblem) => void,
): Promise<boolean> {
  try {
    await proved(save)
  } catch (error) {
    if (refused && error instanceof ApiProblem && error.field) refused(error)
    else if (codeOf(error) !== 'network.aborted') tell('error', sentenceOf(error))
    return false
  }
  tell('success', success)
  return true
}

/** Makes a call, and where the server wants the current password (contract W9), asks for it and makes it again. */
async function proved(save: (proof: Proof) => Promise<unknown>): Promise<void> {
  let proof: Proof = {}
  for (;;) {
    try {
      await save(proof)
      return
    } catch (error) {
      if (codeOf(error) !== 'password.current') throw error
    }
    const password = await ask(ProofDialog, { isWrong: proof.current_password !== undefined })
    if (password === undefined) throw new ApiProblem(0, 'network.aborted', 'cancelled')
    proof = { current_password: password }
  }
}
