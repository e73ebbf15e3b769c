import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { subscribe } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { files, isFolderShown } from '#web/features/files/state/files-state.ts'
import { selectOnly } from '#web/features/files/state/selection.ts'
import { focusList } from '#web/shared/lists/focus-list.ts'
import { nameError } from '#web/shared/names/name-rule.ts'
import { renaming } from '#web/shared/names/rename-state.ts'
import { quoted } from '#web/shared/undo/change-text.ts'
import { isFocusFree } from '#web/ui/layers/lost-focus.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { renameItem } from './item-changes.ts'
import { isDone } from './refusals.ts'

/** Whether names can be edited in the list. On narrow and on touch screens, a dialog has more room. */
export function canRenameInList(item: Pick<Item, 'path'>): boolean {
  return (
    isFolderShown() &&
    itemOf(item.path) !== undefined &&
    !matchMedia('(width <= 46rem), (pointer: coarse)').matches
  )
}

let unwatch: (() => void) | undefined

/** Turns the name of an item of the list into a text field. */
export function startRename({ path, name }: Pick<Item, 'path' | 'name'>): void {
  const items = files.folder?.items ?? []
  selectOnly(
    items,
    items.findIndex((item) => item.path === path),
  )
  Object.assign(renaming, { path, text: name, refusal: undefined, isSaving: false })
  unwatch ??= subscribe(files, endIfGone)
}

/** Closes the text field without renaming, and gives the focus back to the list. */
export function cancelRename(): void {
  const hadFocus = isFocusHere()
  unwatch?.()
  unwatch = undefined
  Object.assign(renaming, { path: undefined, refusal: undefined, isSaving: false })
  if (hadFocus) focusList()
}

/** Sets the typed text. */
export function typeName(text: string): void {
  Object.assign(renaming, { text, refusal: undefined })
}

/** Why the typed name cannot be used: a sentence; undefined if it can, or if it is the old one. */
export function typedNameError(): string | undefined {
  if (renaming.refusal !== undefined) return renaming.refusal
  const item = itemOf(renaming.path)
  const name = typedName(item)
  if (name === item?.name) return undefined
  const error = nameError(name)
  if (error) return i18n._(error)
  const isTaken = files.folder?.items.some((one) => one.name === name)
  return isTaken ? i18n._(problemText('path.exists')) : undefined
}

/** The typed name without spaces around it. The old name stays as it is, with its spaces or control characters. */
function typedName(item: Item | undefined): string {
  return renaming.text === item?.name ? item.name : renaming.text.trim()
}

/**
 * Renames the item and closes the field. An error is shown at the field, which stays. `by` then edits the name of the
 * next (1) or the previous (-1) item.
 */
export async function saveRename(by: 1 | -1 | 0 = 0): Promise<void> {
  const item = itemOf(renaming.path)
  if (!item || renaming.isSaving || typedNameError() !== undefined) return
  const neighbour = by && neighbourOf(item, by)
  if (await renameTo(item, typedName(item))) goOn(item, neighbour || undefined)
}

/** Renames the item if the name is valid, because the user went elsewhere. Otherwise says why it was not renamed. */
export async function leaveRename(): Promise<void> {
  const item = itemOf(renaming.path)
  if (!item || renaming.isSaving) return
  const error = typedNameError()
  if (error === undefined) return saveRename()
  cancelRename()
  showToast('warning', error, `${quoted(item.name)}:`)
}

/** Renames the item, unless the name is unchanged. Returns false if the server has refused it. */
async function renameTo(item: Item, name: string): Promise<boolean> {
  if (!name || name === item.name) return true
  renaming.isSaving = true
  try {
    await renameItem(item, name)
  } catch (error) {
    const code = codeOf(error)
    const isHere = renaming.path === item.path
    if (isHere && !isDone(code)) {
      Object.assign(renaming, { isSaving: false, refusal: i18n._(problemText(code)) })
      return false
    }
    showToast('error', i18n._(problemText(code)), `${quoted(item.name)}:`)
  }
  return true
}

/** Closes the field of `item`, unless the user has begun to edit another name. */
function goOn(item: Item, next: Item | undefined): void {
  if (renaming.path !== item.path) return
  const following = itemOf(next?.path)
  if (following) startRename(following)
  else cancelRename()
}

/** Closes the field if the item has gone or another folder is shown. */
function endIfGone(): void {
  const { path, isSaving } = renaming
  if (path === undefined || isSaving || (isFolderShown() && itemOf(path))) return
  const isHere = isFolderShown() && path.startsWith(files.path)
  const name = quoted(path.slice(files.path.length))
  cancelRename()
  if (isHere) showToast('warning', i18n._(msg`${name} no longer exists.`))
}

function itemOf(path: string | undefined): Item | undefined {
  return path === undefined ? undefined : files.folder?.items.find((item) => item.path === path)
}

function neighbourOf({ path }: Item, by: 1 | -1): Item | undefined {
  const items = files.folder?.items ?? []
  return items[items.findIndex((item) => item.path === path) + by]
}

/** Whether the field has the focus, or nothing, because the field has just been removed. */
function isFocusHere(): boolean {
  return isFocusFree() || document.activeElement?.closest('[data-part=rename]') !== null
}
