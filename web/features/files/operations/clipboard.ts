import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { clipboard, setClipboard, type TransferItem } from '#web/features/files/state/clipboard-state.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { canTransferTo, type TransferKind, transfer } from './transfer.ts'

/** Stores `items` for a later paste. */
export function putOnClipboard(kind: TransferKind, items: readonly TransferItem[]): void {
  setClipboard(kind, items)
  const count = items.length
  showToast(
    'success',
    kind === 'copy'
      ? plural(count, {
          one: '# item copied. Open a folder and paste.',
          other: '# items copied. Open a folder and paste.',
        })
      : plural(count, {
          one: '# item cut. Open a folder and paste.',
          other: '# items cut. Open a folder and paste.',
        }),
  )
}

/**
 * Pastes the clipboard into `folder`. Cut items are pasted once; items that could not be moved stay in the clipboard.
 * Copied items can be pasted any number of times. Returns whether anything was pasted.
 */
export async function paste(folder: string): Promise<boolean> {
  const { kind, items } = clipboard
  if (!kind) return false
  if (!canTransferTo(kind, items, folder)) {
    showToast(
      'error',
      i18n._(msg`This can't be pasted here: it's already here or would end up inside itself.`),
    )
    return false
  }
  const transferred = await transfer(kind, items, folder)
  // The clipboard may have new content in the meantime.
  if (kind === 'rename' && clipboard.kind === kind) {
    setClipboard(
      kind,
      clipboard.items.filter((item) => !transferred.some(({ path }) => path === item.path)),
    )
  }
  return transferred.length > 0
}
