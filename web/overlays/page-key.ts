import { overlays } from './ask.ts'

/**
 * Whether a key press means the page: nobody has taken it, no word is being composed, no question is open, and nobody
 * types or chooses from a menu. F1 means the page also where one types, for no text has a use for it.
 */
export function meansPage({ defaultPrevented, isComposing, key, target }: KeyboardEvent): boolean {
  if (defaultPrevented || isComposing || overlays.open.length > 0) return false
  if (!(target instanceof Element)) return true
  if (target.closest('dialog, [role=menu]')) return false
  return key === 'F1' || !target.closest('input, textarea, select, [contenteditable]')
}
