import { overlays } from './ask.ts'

/**
 * Whether a key press is a shortcut of the page: it was not handled before, no text is being composed, no question is
 * open, and the focus is not in a text field or menu. F1 is a shortcut also in text fields, because no text uses it.
 */
export function isPageShortcut({ defaultPrevented, isComposing, key, target }: KeyboardEvent): boolean {
  if (defaultPrevented || isComposing || overlays.open.length > 0) return false
  if (!(target instanceof Element)) return true
  if (target.closest('dialog, [role=menu]')) return false
  return key === 'F1' || !target.closest('input, textarea, select, [contenteditable]')
}
