import type { Item } from '#contract/resources.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { ask } from '#web/overlays/ask.ts'
import { parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import type { DeletionKind } from '#web/shared/undo/change-text.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { deleteItems } from './item-changes.ts'
import { type KeepingAnswer, keepingOf } from './keeping-of.ts'
import { showOperationErrors } from './refusals.ts'

const DeleteDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).DeleteDialog)

/** The paths of items that are being deleted. A second press of the key must not delete them again. */
const underWay = new Set<string>()

/**
 * Deletes the items that are not being deleted already. Returns whether all of them were deleted.
 *
 * @param isPermanent the user has asked for permanent deletion
 */
export async function deleteChosen(chosen: readonly Item[], isPermanent: boolean): Promise<boolean> {
  const items = chosen.filter(({ path }) => !underWay.has(path))
  for (const { path } of items) underWay.add(path)
  try {
    const kind = await deletionOf(items, isPermanent)
    return kind !== undefined && (await deleteItems(items, kind))
  } catch (error) {
    showOperationErrors(items.map(({ name }) => ({ name, code: codeOf(error) })))
    return false
  } finally {
    for (const { path } of items) underWay.delete(path)
  }
}

/**
 * How to delete the items: into the trash without a question, because that can be undone, unless the user wants to be
 * asked. Asks before any other deletion. Undefined: the user has cancelled, or has left the folder before the question.
 *
 * @throws ApiProblem `network.lost` when the server cannot be reached.
 */
async function deletionOf(items: readonly Item[], isPermanent: boolean): Promise<DeletionKind | undefined> {
  const [first] = items
  if (!first) return undefined
  const place = location.href
  files.tasks++
  const folders = new Set(items.map(({ path }) => parentOf(path)))
  const answers = await Promise.all([...folders].map(keepingOf)).finally(() => files.tasks--)
  const keeping = worstOf(answers)
  const goesToTrash = !isPermanent && keeping?.trash && !keeping.isFull
  if (goesToTrash && !session.user?.askBeforeTrash) return 'trash'
  if (location.href !== place) return undefined
  const names = items.map(({ name }) => name)
  const hasFolders = items.some(({ isDir }) => isDir)
  return ask(DeleteDialog, { names, hasFolders, keeping, isPermanent })
}

/** What happens in the folder in which a deletion does the most harm. The question is about that. */
function worstOf(answers: readonly KeepingAnswer[]): KeepingAnswer {
  if (answers.includes(null)) return null
  return answers.find((one) => !one?.trash) ?? answers.find((one) => one?.isFull) ?? answers[0] ?? null
}
