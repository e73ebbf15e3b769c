import { i18n } from '@lingui/core'
import type { FileView } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { origin } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { showPath } from '#web/features/files/state/files-state.ts'
import { announceChange, announceContent } from '#web/shared/changes.ts'
import { parentOf } from '#web/shared/paths.ts'
import { permissions } from '#web/shared/session.ts'
import { rotatedText } from '#web/shared/undo/change-text.ts'
import { recorded } from '#web/shared/undo/history.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** Quarter turns to the right, as the contract writes them. */
const degrees = [undefined, '90', '180', '270'] as const

/** The function that saves a picture turned; undefined if the user may not, or if it is no JPEG: only these are turned without loss. */
export function rotatorFor(
  file: FileView,
  isPart: boolean,
): ((quarters: number) => Promise<boolean>) | undefined {
  const mayChange = !isPart && !origin.link && permissions().modify
  return mayChange && /\.(jpe?g|jfif)$/i.test(file.name)
    ? (quarters) => saveRotation(file, quarters)
    : undefined
}

/** Saves a JPEG turned to the right by quarters. Shows what went wrong, and returns whether it was saved. */
async function saveRotation({ path, name }: FileView, quarters: number): Promise<boolean> {
  const by = degrees.at(quarters % 4)
  if (!by) return false
  try {
    await recorded({ text: rotatedText(name) }, (onOperation) =>
      api('POST /api/rotate/*', { params: { '*': path }, query: { by } }, { onOperation }),
    )
  } catch (error) {
    showToast('error', i18n._(problemText(codeOf(error))))
    return false
  }
  announceChange(parentOf(path))
  await showPath(path)
  announceContent(path)
  return true
}
