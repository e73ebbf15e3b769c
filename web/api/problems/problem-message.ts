import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiProblem, type FailureCode } from '#web/api/client.ts'
import { codeOf, problemText } from './problem-text.ts'

/** The fields of problems that are always about the same one. */
const fieldsByCode: Partial<Record<FailureCode, string>> = {
  'password.weak': 'password',
  'password.common': 'password',
  'user.exists': 'username',
  'user.name': 'username',
  'share.slug': 'slug',
}

/** The field of a form that a problem is about; empty if it is about none. */
export function fieldOf({ code, field }: ApiProblem): string {
  return field.replace(/^(body\.)?(data\.)?/, '') || (fieldsByCode[code] ?? '')
}

/** The sentence for any error. For a refused value, it also contains which value and why. */
export function problemMessage(error: unknown): string {
  const code = codeOf(error)
  const sentence = i18n._(problemText(code))
  const [, minimum] = (code === 'password.weak' && /(\d+)/.exec((error as ApiProblem).message)) || []
  if (minimum) return i18n._(msg`This password is too short. Use at least ${minimum} characters.`)
  return code === 'request.invalid' && error instanceof ApiProblem
    ? `${sentence} (${error.message})`
    : sentence
}
