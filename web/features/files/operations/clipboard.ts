import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { clipboard, hold, type Moved } from '#web/features/files/state/clipboard-state.ts'
import { tell } from '#web/ui/toasts.ts'
import { canTake, type Transfer, transfer } from './transfer.ts'

/** Stores `items` for a later paste. */
export function keep(kind: Transfer, items: readonly Moved[]): void {
  hold(kind, items)
  tell(
    'success',
    i18n._(kind === 'copy' ? msg`Copied. Paste in any folder.` : msg`Cut. Paste in any folder.`),
  )
}

/**
 * Pastes the clipboard into `folder`. Cut items are pasted once; items that could not be moved stay in the clipboard.
 * Copied items can be pasted any number of times. Returns whether anything was pasted.
 */
export async function paste(folder: string): Promise<boolean> {
  const { kind, items } = clipboard
  if (!kind) return false
  if (!canTake(kind, items, folder)) {
    tell('error', i18n._(msg`This can't be pasted here: it's already here or would end up inside itself.`))
    return false
  }
  const transferred = await transfer(kind, items, folder)
  // The clipboard may have new content in the meantime.
  if (kind === 'rename' && clipboard.kind === kind) {
    hold(
      kind,
      clipboard.items.filter((item) => !transferred.some(({ path }) => path === item.path)),
    )
  }
  return transferred.length > 0
}
