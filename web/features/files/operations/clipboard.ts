import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { clipboard, hold, type Moved } from '#web/features/files/state/clipboard-state.ts'
import { tell } from '#web/ui/toasts.ts'
import { canTake, type Transfer, transfer } from './transfer.ts'

/** Keeps `items` for a later paste. */
export function keep(kind: Transfer, items: readonly Moved[]): void {
  hold(kind, items)
  tell(
    'success',
    i18n._(kind === 'copy' ? msg`Copied. Paste in any folder.` : msg`Cut. Paste in any folder.`),
  )
}

/**
 * Puts what was cut or copied into `folder`. What was cut is pasted once, and what of it stayed where it is can be pasted
 * again; what was copied as often as one likes. Answers whether anything came.
 */
export async function paste(folder: string): Promise<boolean> {
  const { kind, items } = clipboard
  if (!kind) return false
  if (!canTake(kind, items, folder)) {
    tell('error', i18n._(msg`This can't be pasted here: it's already here or would end up inside itself.`))
    return false
  }
  const gone = await transfer(kind, items, folder)
  // Something else may have been cut or copied meanwhile.
  if (kind === 'rename' && clipboard.kind === kind) {
    hold(
      kind,
      clipboard.items.filter((item) => !gone.some(({ path }) => path === item.path)),
    )
  }
  return gone.length > 0
}
