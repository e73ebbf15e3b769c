import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { type RefObject, useEffect, useRef } from 'react'
import { useLocationProperty } from 'wouter/use-browser-location'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** How long the link is highlighted, in milliseconds. */
const highlightMs = 2000

/**
 * The id of the link to which the address of the page leads: it is in the fragment. Empty: to none. Says so if there is no
 * such link any more.
 *
 * @param list undefined: it is not loaded
 * @param onFound called with the position in the list
 */
export function useLinkInAddress(
  list: readonly { hash: string }[] | undefined,
  onFound: (at: number) => void,
): string {
  const fragment = useLocationProperty(() => location.hash)
  // A section of the settings has a full stop in its name, and an id has none.
  const wanted = fragment.includes('.') ? '' : fragment.slice(1)
  const isLoaded = list !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once. Links that are deleted later are not missed.
  useEffect(() => {
    if (!list || !wanted) return
    const at = list.findIndex(({ hash }) => hash === wanted)
    if (at >= 0) onFound(at)
    else showToast('warning', i18n._(msg`This link has ended or was deleted.`))
  }, [isLoaded, wanted])
  return wanted
}

/** Scrolls to a line when it becomes the wanted one, focuses it, and highlights it for a moment. */
export function useFoundLine(isWanted: boolean): RefObject<HTMLLIElement | null> {
  const line = useRef<HTMLLIElement>(null)
  useEffect(() => {
    const { current } = line
    if (!isWanted || !current) return
    current.scrollIntoView({ block: 'center' })
    current.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true })
    current.dataset.found = ''
    const timer = setTimeout(() => delete current.dataset.found, highlightMs)
    return () => clearTimeout(timer)
  }, [isWanted])
  return line
}
