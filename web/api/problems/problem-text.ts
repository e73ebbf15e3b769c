import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiProblem, type FailureCode } from '#web/api/client.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'

/** The sentences that the first listing may need. */
const first = {
  'network.lost': msg`Can't reach the server. Check your connection and try again.`,
  'network.aborted': msg`Canceled.`,
  'auth.required': msg`Please sign in.`,
  'auth.forbidden': msg`You don't have permissions to access this.`,
  'request.invalid': msg`The server didn't understand the request.`,
  'request.limited': msg`Too many requests. Wait a moment, then try again.`,
  'path.unknown': msg`This location can't be reached.`,
  'disk.silent': msg`The server is busy. Try again in a moment.`,
  'disk.failed': msg`The server's disk reported an error. Ask an administrator to check it.`,
  'user.busy': msg`You have too many transfers in progress. Try again when one has finished.`,
  'server.stopping': msg`The server is shutting down. Try again in a moment.`,
  'server.busy': msg`The server is busy. Try again in a moment.`,
  'server.failed': msg`Something really went wrong.`,
} satisfies Partial<Record<FailureCode, MessageDescriptor>>

/** The codes whose sentences arrive with the later messages. A new code without a sentence does not compile. */
export type LaterCode = Exclude<FailureCode, keyof typeof first>

const sentences: Partial<Record<FailureCode, MessageDescriptor>> = { ...first }

/** Adds the sentences of all other codes, which are loaded with the messages of later screens. */
export function addSentences(more: Readonly<Record<LaterCode, MessageDescriptor>>): void {
  Object.assign(sentences, more)
}

/** The code of any thrown value. Anything but an ApiProblem is a bug. */
export function codeOf(error: unknown): FailureCode {
  return error instanceof ApiProblem ? error.code : 'server.failed'
}

/** The sentence for `code`, as shown to the user. */
export function problemText(code: FailureCode): MessageDescriptor {
  // A newer server may send a code that this page does not know.
  return ownEntry(sentences, code) ?? first['server.failed']
}

/** The fields of problems that are always about the same one. */
const fieldsByCode: Partial<Record<FailureCode, string>> = {
  'password.weak': 'password',
  'password.common': 'password',
  'user.exists': 'username',
  'user.name': 'username',
  'share.slug': 'slug',
  'share.passwordless': 'password',
  'share.endless': 'expires',
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
