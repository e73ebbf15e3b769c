import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { proxy, ref } from 'valtio'
import { tell } from '#web/ui/toasts.ts'
import { canTake, type Moved, type Transfer, transfer } from './transfer.ts'

/** What was cut or copied, to be pasted in another folder; `kind` is undefined when there is nothing. */
export const clipboard = proxy({
  kind: undefined as Transfer | undefined,
  items: ref([]) as readonly Moved[],
})

/** Keeps `items` for a later paste. */
export function keep(kind: Transfer, items: readonly Moved[]): void {
  clipboard.items = ref([...items])
  clipboard.kind = kind
  tell(
    'success',
    i18n._(kind === 'copy' ? msg`Copied. Paste in any folder.` : msg`Cut. Paste in any folder.`),
  )
}

/**
 * Puts what was cut or copied into `folder`. What was cut is pasted once, what was copied as often as one likes.
 *
 * @throws ApiProblem when the server refuses.
 */
export async function paste(folder: string): Promise<void> {
  const { kind, items } = clipboard
  if (!kind) return
  if (!canTake(kind, items, folder)) {
    tell('error', i18n._(msg`It cannot be put here: it is here already, or would go into itself.`))
    return
  }
  if (kind === 'rename') clipboard.kind = undefined
  await transfer(kind, items, folder)
}
