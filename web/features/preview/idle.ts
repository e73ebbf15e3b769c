import { useEffect, useState } from 'react'

/** Time without pointer, key or touch after which the controls fade, in milliseconds. */
const idleMs = 3000

const signs = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focusin'] as const

/**
 * Whether the controls of a picture may fade: the user has not used pointer, keys or touch for a while, and no control has a
 * visible focus. Never with reduced motion. A tap that brings the controls back does not press them.
 */
export function useIdle(isOn: boolean): boolean {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => {
    if (!isOn || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    let hidden = false
    const hide = () => {
      hidden = !document.querySelector('dialog[open], [role=menu], :is(button, a, input):focus-visible')
      setIdle(hidden)
      if (!hidden) timer = setTimeout(hide, idleMs)
    }
    let timer = setTimeout(hide, idleMs)
    const show = (event: Event) => {
      clearTimeout(timer)
      timer = setTimeout(hide, idleMs)
      if (!hidden) return
      hidden = false
      setIdle(false)
      if (event instanceof PointerEvent && event.type === 'pointerdown' && event.pointerType === 'touch')
        addEventListener('click', swallow, { capture: true, once: true })
    }
    for (const sign of signs) addEventListener(sign, show, true)
    return () => {
      clearTimeout(timer)
      setIdle(false)
      removeEventListener('click', swallow, true)
      for (const sign of signs) removeEventListener(sign, show, true)
    }
  }, [isOn])
  return isIdle
}

function swallow(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}
