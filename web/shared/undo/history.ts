import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { proxy, ref, subscribe } from 'valtio'
import type { OnOperation } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { ownChange } from '#web/shared/live/own-changes.ts'
import { resourceIn } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { type ItemsInFolder, showItems } from '#web/shared/undo/show-items.ts'
import { dismissKey, showToast, type ToastAction } from '#web/ui/toasts/toasts.ts'
import { leftLines } from './left-lines.ts'
import { type Change, type Reversal, reverseChange, type UndoVerb } from './reverse-change.ts'
import { readChanges, storeChanges } from './stored-changes.ts'

/** After this time, a notice says that something is being undone, in milliseconds. */
const busyMs = 500
/** Maximum number of changes that can be undone, and of their operations. */
const max = { changes: 50, operations: 100_000 }
/** The notices about changes take the place of each other. */
export const changeKey = 'change'
const key = changeKey

/** The changes of this tab: those that can be undone, and those that can be done again. The last one comes last. */
export const changeHistory = proxy({
  undo: ref([]) as readonly Change[],
  redo: ref([]) as readonly Change[],
})

/** What a change was. Without operations, it cannot be undone. */
interface NewChange extends Change {
  /** Shows no notice, because the page shows the change itself, with Undo beside it. */
  isSilent?: boolean
  /** Where the result is. The notice offers to show it, unless the page shows that folder already. */
  place?: ItemsInFolder
}

/** Records a change of the user and shows a notice with Undo. One action of the user is one change. */
export function recordChange({ isSilent = false, place, ...change }: NewChange): void {
  const { text, operations } = change
  if (operations.length > 0) {
    changeHistory.undo = ref(bounded([...changeHistory.undo, change]))
    changeHistory.redo = ref([])
    if (!isSilent) showChange(text, { verb: 'undo', change }, place)
  } else if (!isSilent) showChange(text, undefined, place)
}

/** A list of operations, and the function for calls that adds to it. */
export function collectOperations(): { operations: string[]; onOperation: OnOperation } {
  const operations: string[] = []
  return { operations, onOperation: (id: string) => void operations.push(id) }
}

/**
 * Runs one call and records its change, also if only a command that runs afterwards has failed.
 *
 * @throws what `call` throws.
 */
export async function recorded<T>(
  about: Omit<NewChange, 'operations'>,
  call: (onOperation: OnOperation) => Promise<T>,
): Promise<T> {
  const { operations, onOperation } = collectOperations()
  try {
    return await call(onOperation)
  } finally {
    if (operations.length > 0) recordChange({ ...about, operations })
  }
}

/** Undoes the last change of this tab. Returns whether something was undone. */
export function undoChange(): Promise<boolean> {
  return enqueue(() => withProgress('undo', changeHistory.undo.at(-1)))
}

/** Undoes this change. Returns whether something was undone. */
export function undoThis(change: Change): Promise<boolean> {
  return enqueue(() => withProgress('undo', change))
}

/** Does the change again that was undone last. Returns whether something was done. */
export function redoChange(): Promise<boolean> {
  return enqueue(() => withProgress('redo', changeHistory.redo.at(-1)))
}

type Listener = (reversal: Reversal) => void | Promise<void>

const listeners = new Set<Listener>()

/** Calls `listener` after a change was undone or done again. Returns a function that unsubscribes. */
export function onReversal(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function bounded(changes: readonly Change[]): readonly Change[] {
  let operations = 0
  const first = changes.findLastIndex((change, n) => {
    operations += change.operations.length
    return changes.length - n > max.changes || (operations > max.operations && n < changes.length - 1)
  })
  return changes.slice(first + 1)
}

/** Reverses a change that has no button with its progress: a notice says that it is running, if it takes long. */
async function withProgress(verb: UndoVerb, change: Change | undefined): Promise<boolean> {
  if (!change) return false
  const { text } = change
  const running = verb === 'undo' ? msg`Undoing: ${text}` : msg`Doing again: ${text}`
  const timer = setTimeout(() => showToast('busy', i18n._(running), '', { key }), busyMs)
  try {
    return await reverse(verb, change)
  } finally {
    clearTimeout(timer)
  }
}

/** Undoes `change`, or does it again, unless that has happened already. */
async function reverse(verb: UndoVerb, change: Change | undefined): Promise<boolean> {
  const other = verb === 'undo' ? 'redo' : 'undo'
  if (!change || !changeHistory[verb].includes(change)) return false
  changeHistory[verb] = ref(changeHistory[verb].filter((one) => one !== change))
  const owner = session.user?.id
  const reversal = await reverseChange(change, verb)
  // Another user may have signed in meanwhile: that history is another one.
  if (session.user?.id !== owner) return false
  const { made, rest, refused, left } = reversal
  if (rest.length > 0) changeHistory[verb] = ref([...changeHistory[verb], { ...change, operations: rest }])
  const reversed = { ...change, operations: made }
  if (made.length > 0) changeHistory[other] = ref([...changeHistory[other], reversed])
  // Before the listeners: they load the folder again, which takes long when the connection was lost.
  if (refused !== undefined || left.length > 0) showProblems(reversal, change.text)
  // A listener may subscribe again while it runs. The new one must not be called for this change.
  for (const listener of [...listeners]) await listener(reversal)
  if (made.length > 0 && rest.length === 0)
    showChange(doneText(verb, change.text), { verb: other, change: reversed })
  else dismissKey(key)
  return made.length > 0
}

function doneText(verb: UndoVerb, text: string): string {
  return verb === 'undo' ? i18n._(msg`Undone: ${text}`) : i18n._(msg`Done again: ${text}`)
}

/** Shows why a change was not undone, or only in part. */
function showProblems({ verb, made, rest, refused, left }: Reversal, text: string): void {
  const isUndo = verb === 'undo'
  const none = isUndo ? msg`Not undone: ${text}` : msg`Not done again: ${text}`
  const part = isUndo ? msg`Undone only in part: ${text}` : msg`Done again only in part: ${text}`
  const title = made.length === 0 ? i18n._(none) : rest.length > 0 ? i18n._(part) : text
  if (refused !== undefined) showToast('error', i18n._(problemText(refused)), i18n._(sentence(title)))
  if (left.length === 0) return
  const isAll = made.length === 0 && refused === undefined
  const heading = isAll ? title : i18n._(msg`Some of it was left as it is:`)
  showToast('warning', heading, '', { lines: leftLines(left), key: 'left' })
}

/** A sentence in front of another one. */
const sentence = (text: string) => msg({ message: `${text}.`, comment: 'A sentence' })

/** What the button of a notice does: always with the change of the notice, also after others. */
interface Reversible {
  verb: UndoVerb
  change: Change
}

function showChange(text: string, reversible?: Reversible, place?: ItemsInFolder): void {
  const actions: ToastAction[] = []
  if (reversible) {
    const { verb, change } = reversible
    const label = i18n._(verb === 'undo' ? msg`Undo` : msg`Redo`)
    actions.push({ label, run: () => enqueue(() => reverse(verb, change)) })
  }
  if (place && resourceIn(location.pathname) !== place.folder)
    actions.push({ label: i18n._(msg`Show`), run: () => showItems(place) })
  // Ctrl+Z works after the notice, too.
  showToast('success', text, '', { key, actions })
}

let last: Promise<unknown> = Promise.resolve()

/** Runs one reversal after the other, in the order in which they were asked for. */
function enqueue<T>(work: () => Promise<T>): Promise<T> {
  const own = () => ownChange(work)
  const next = last.then(own, own)
  last = next.catch(() => undefined)
  return next
}

let owner: number | undefined

/** Loads the changes that the signed-in user has made in this tab. A user must not see or undo those of another. */
function followUser(): void {
  const id = session.user?.id
  if (id === owner) return
  owner = id
  const { undo, redo } = readChanges(id)
  Object.assign(changeHistory, { undo: ref(undo), redo: ref(redo) })
  dismissKey(key)
}

subscribe(session, followUser)
followUser()
subscribe(changeHistory, () => storeChanges(owner, changeHistory))
