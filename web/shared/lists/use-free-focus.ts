import { type RefObject, useEffect } from 'react'

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
    const { activeElement, body } = document
    if (!isCovered && (!activeElement || activeElement === body))
      target.current?.focus({ preventScroll: true })
  }, [target, folder, isCovered])
}
