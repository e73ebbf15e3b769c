import { type RefObject, useEffect } from 'react'
import { isFocusFree } from '#web/ui/layers/lost-focus.ts'

/**
 * Focuses `target`, the list or the message instead of it, after a change of folder or when an open file is closed, unless
 * another element has the focus.
 */
export function useFreeFocus(
  target: RefObject<HTMLElement | null>,
  folder: string,
  isCovered: boolean,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of folder moves the focus, too.
  useEffect(() => {
    if (!isCovered && isFocusFree()) target.current?.focus({ preventScroll: true })
  }, [target, folder, isCovered])
}
