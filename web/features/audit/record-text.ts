import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ProblemCode } from '#contract/problems.ts'
import type { OperationKind } from '#contract/schema/operation-kind.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'

/** Events that are no operations. */
type EventKind =
  | 'open'
  | 'download'
  | 'receive'
  | 'login'
  | 'visit'
  | 'confirm'
  | 'logout'
  | 'command'
  | 'scan'
  | 'refusal'
  | 'start'
  | 'stop'
  | 'cut'
  | 'verify'
  | 'gap'

interface KindTexts {
  done: MessageDescriptor
  /** For failed, refused and interrupted attempts. A verification has failed if it has found something. */
  tried: MessageDescriptor
}

const kinds: Record<OperationKind | EventKind, KindTexts> = {
  create: { done: msg`Created`, tried: msg`Tried to create` },
  upload: { done: msg`Uploaded`, tried: msg`Tried to upload` },
  save: { done: msg`Changed`, tried: msg`Tried to change` },
  copy: { done: msg`Copied`, tried: msg`Tried to copy` },
  move: { done: msg`Moved or renamed`, tried: msg`Tried to move or rename` },
  delete: { done: msg({ message: 'Deleted', context: 'action' }), tried: msg`Tried to delete` },
  restore: { done: msg`Restored`, tried: msg`Tried to restore` },
  undo: { done: msg`Undid a change`, tried: msg`Tried to undo a change` },
  redo: { done: msg`Redid a change`, tried: msg`Tried to redo a change` },
  share: { done: msg`Shared`, tried: msg`Tried to share` },
  unshare: { done: msg`Deleted a shared link`, tried: msg`Tried to delete a shared link` },
  users: { done: msg`Changed user accounts`, tried: msg`Tried to change user accounts` },
  settings: { done: msg`Changed settings`, tried: msg`Tried to change settings` },
  publish: { done: msg`Published the website`, tried: msg`Tried to publish the website` },
  trash: { done: msg`Deleted from the trash`, tried: msg`Tried to delete from the trash` },
  versions: { done: msg`Deleted a version`, tried: msg`Tried to delete a version` },
  session: { done: msg`Ended a session`, tried: msg`Tried to end a session` },
  open: { done: msg`Opened a shared link`, tried: msg`Tried to open a shared link` },
  download: { done: msg`Downloaded`, tried: msg`Started a download` },
  receive: { done: msg`Received through a link`, tried: msg`Tried to send through a link` },
  login: { done: msg`Signed in`, tried: msg`Tried to sign in` },
  visit: { done: msg`Wrong password of a shared link`, tried: msg`Wrong password of a shared link` },
  confirm: { done: msg`Wrong password when confirming`, tried: msg`Wrong password when confirming` },
  logout: { done: msg`Signed out`, tried: msg`Tried to sign out` },
  command: { done: msg`Ran a command`, tried: msg`Tried to run a command` },
  scan: { done: msg`Virus found`, tried: msg`Virus found` },
  refusal: { done: msg`Access was refused`, tried: msg`Access was refused` },
  start: { done: msg`Coffer started`, tried: msg`Coffer tried to start` },
  stop: { done: msg`Coffer stopped`, tried: msg`Coffer tried to stop` },
  cut: { done: msg`The oldest records were removed`, tried: msg`Tried to remove the oldest records` },
  verify: { done: msg`Verified the records`, tried: msg`Found changed or missing records` },
  gap: { done: msg`Records were lost`, tried: msg`Records were lost` },
}

const outcomes = {
  done: msg`Done`,
  failed: msg`Failed`,
  refused: msg`Refused`,
  interrupted: msg`Interrupted`,
}

/** The kinds and the outcomes with their labels, for filters. */
export const kindLabels = Object.entries(kinds).map(([kind, { done }]) => [kind, done] as const)
export const outcomeLabels = Object.entries(outcomes)

/** What was done or tried. A newer server may send a kind that this page does not know. */
export function kindText({ kind, outcome }: { kind: string; outcome: string }): string {
  const texts = ownEntry<KindTexts>(kinds, kind)
  return texts ? i18n._(outcome === 'done' ? texts.done : texts.tried) : kind
}

/** How it ended. */
export function outcomeText(outcome: string): string {
  const text = ownEntry<MessageDescriptor>(outcomes, outcome)
  return text ? i18n._(text) : outcome
}

/** How it ended, and why. */
export function outcomeWithReason(outcome: string, detail: string): string {
  const [result, reason] = [outcomeText(outcome), detailText(detail)]
  return detail ? i18n._(msg`${result}: ${reason}`) : result
}

/** Whether it was done through a shared link, without an account. */
export function isOfVisitor({ kind, user }: { kind: string; user: string }): boolean {
  return user === '' && ['open', 'download', 'receive'].includes(kind)
}

/** How often it happened, if one record stands for many equal events; otherwise 1. */
export function timesOf({ kind, count }: { kind: string; count: number }): number {
  return ['open', 'download', 'login', 'visit', 'confirm', 'refusal'].includes(kind) ? Math.max(1, count) : 1
}

/** The name of the account that a record of a change of accounts is about; empty: it does not say. */
export function accountOf({
  kind,
  outcome,
  detail,
}: {
  kind: string
  outcome: string
  detail: string
}): string {
  // A failed attempt has the code of a problem there.
  if (kind !== 'users' || outcome !== 'done') return ''
  const end = detail.lastIndexOf(': ')
  return end < 0 ? detail : detail.slice(0, end)
}

/** The sentence for the code of a problem at the start of the details; other details as they are. */
export function detailText(detail: string): string {
  const [code = '', ...rest] = detail.split(' ')
  const text = problemText(code as ProblemCode)
  const isKnown = code === 'server.failed' || text !== problemText('server.failed')
  return isKnown ? [i18n._(text), ...rest].join(' ') : detail
}
