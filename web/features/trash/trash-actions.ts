import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import type { TrashItem } from '#contract/history/kept.ts'
import { api, type FailureCode } from '#web/api/client.ts'
import { contentAddress } from '#web/api/history/kept.ts'
import { codeOf, problemMessage, problemText } from '#web/api/problems/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { announceFiles, foldersOf } from '#web/shared/changes.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { createSemaphore } from '#web/shared/semaphore.ts'
import { session } from '#web/shared/session.ts'
import { quoted, quotedFolder } from '#web/shared/undo/change-text.ts'
import { collectOperations, recordChange } from '#web/shared/undo/history.ts'
import type { ItemsInFolder } from '#web/shared/undo/show-items.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { saveAs } from '#web/ui/save-as.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { EmptyTrashDialog, PermanentDeletionDialog } from './trash-dialogs.tsx'
import { TrashItemDialog } from './trash-item-dialog.tsx'
import { loadTrash, removeFromTrashList, trash } from './trash-state.ts'
import { type TrashVerb, verbsFor } from './trash-verbs.ts'

const DestinationDialog = lazy(
  async () => (await import('#web/app/chunks/later-dialogs.ts')).DestinationDialog,
)

/** Does `verb` with the entries and shows the result. Returns whether all of it was done. */
export async function act(verb: TrashVerb, items: readonly TrashItem[]): Promise<boolean> {
  const [only] = items
  if (!only || !verbsFor(items).includes(verb)) return false
  if (verb === 'look') return look(only)
  if (verb === 'restore') return restore(items, undefined)
  if (verb === 'restore-to') return restoreElsewhere(items)
  if (verb === 'download') return download(only)
  return deletePermanently(items)
}

async function look(item: TrashItem): Promise<boolean> {
  const verb = await ask(TrashItemDialog, { item, verbs: verbsFor([item]) })
  return verb !== undefined && act(verb, [item])
}

async function download({ id, name }: TrashItem): Promise<boolean> {
  try {
    saveAs(await contentAddress({ trash: id }, false))
    return true
  } catch (error) {
    showToast('error', problemMessage(error), subjectOf(name, 0))
    return false
  }
}

async function restoreElsewhere(items: readonly TrashItem[]): Promise<boolean> {
  const folder = await ask(DestinationDialog, {
    kind: 'restore',
    from: '/',
    excludedPaths: [],
    count: items.length,
    mayCreate: session.user?.perm.create ?? false,
  })
  return folder !== undefined && restore(items, folder)
}

/** Restores the entries, as one change that can be undone. */
async function restore(items: readonly TrashItem[], to: string | undefined): Promise<boolean> {
  const { operations, onOperation } = collectOperations()
  const query = to ? { to } : {}
  const outcome = await forEach(items, async ({ id }) => {
    const { path } = await api('POST /api/trash/:id/restore', { params: { id }, query }, { onOperation })
    return path
  })
  const { done } = outcome
  void announceFiles({ folders: foldersOf(done.map(({ result }) => result)) })
  if (done.length > 0) recordChange({ text: restoredText(done), operations, place: placeOf(done) })
  return finish(outcome)
}

/** The folder of the first restored entry, with all that were restored there. */
function placeOf(done: Outcome<string>['done']): ItemsInFolder {
  const folder = parentOf(done[0]?.result ?? '/')
  const here = done.filter(({ result }) => parentOf(result) === folder)
  return { folder, names: here.map(({ result }) => nameOf(result)) }
}

/** The server chooses another name if the old one is taken. */
function restoredText(done: Outcome<string>['done']): string {
  const [only] = done
  const count = done.length
  if (!only || count > 1) return plural(count, { one: 'Restored # item', other: 'Restored # items' })
  const [name, folder] = [quoted(nameOf(only.result)), quotedFolder(parentOf(only.result))]
  return nameOf(only.result) === only.item.name
    ? i18n._(msg`Restored ${name} to ${folder}`)
    : i18n._(msg`The name was taken. Restored as ${name} to ${folder}`)
}

async function deletePermanently(items: readonly TrashItem[]): Promise<boolean> {
  if ((await ask(PermanentDeletionDialog, { items })) !== true) return false
  const outcome = await forEach(items, ({ id }) => api('DELETE /api/trash/:id', { params: { id } }))
  const count = outcome.done.length
  if (count > 0) recordChange({ text: deletedText(count), operations: [] })
  return finish(outcome)
}

function deletedText(count: number): string {
  return plural(count, { one: 'Deleted # item permanently', other: 'Deleted # items permanently' })
}

/** Deletes everything in the trash that the user sees, also what the search does not show. Asks before. */
export async function emptyTrash(): Promise<boolean> {
  try {
    // The list may be outdated, or show only what was searched for.
    const { total, size } = await api('GET /api/trash', { query: { limit: 1 } })
    const isConfirmed = await ask(EmptyTrashDialog, { total, size, isSearch: trash.search !== '' })
    if (isConfirmed !== true) return false
    const { deleted } = await api('DELETE /api/trash')
    recordChange({ text: deletedText(deleted), operations: [] })
    return true
  } catch (error) {
    showToast('error', problemMessage(error))
    return false
  } finally {
    await loadTrash(trash.search)
  }
}

interface Outcome<T> {
  done: { item: TrashItem; result: T }[]
  failed: { item: TrashItem; code: FailureCode }[]
}

/** Further attempts are pointless after these codes: signed out, or the server is unreachable. */
const finalCodes: readonly FailureCode[] = ['auth.required', 'network.lost', 'network.aborted']

/**
 * Runs `task` for each entry, four at a time. Continues after failures, except after one that concerns all entries: then
 * the remaining ones have failed with it, too.
 */
async function forEach<T>(
  items: readonly TrashItem[],
  task: (item: TrashItem) => Promise<T>,
): Promise<Outcome<T>> {
  const { acquire } = createSemaphore(4)
  const outcome: Outcome<T> = { done: [], failed: [] }
  let final: FailureCode | undefined
  const run = async (item: TrashItem) => {
    const release = await acquire()
    try {
      if (final) outcome.failed.push({ item, code: final })
      else outcome.done.push({ item, result: await task(item) })
    } catch (error) {
      const code = codeOf(error)
      outcome.failed.push({ item, code })
      if (finalCodes.includes(code)) final ??= code
    } finally {
      release()
    }
  }
  await Promise.all(items.map(run))
  return outcome
}

/** Updates the list and shows the first failure with the number of the others. Returns whether there was none. */
function finish({ done, failed }: Outcome<unknown>): boolean {
  removeFromTrashList(done.map(({ item }) => item))
  const [first, ...more] = failed
  if (!first) return true
  if (first.code !== 'network.aborted')
    showToast('error', i18n._(problemText(first.code)), subjectOf(first.item.name, more.length))
  // Somebody else may have restored or deleted these entries.
  void loadTrash(trash.search)
  return false
}

/** What a message is about: an entry, and the number of others. It stands in front of a sentence. */
function subjectOf(name: string, others: number): string {
  const one = quoted(name)
  if (others === 0) return i18n._(msg`“${one}”:`)
  return plural(others, { one: `“${one}” and # more:`, other: `“${one}” and # more:` })
}
