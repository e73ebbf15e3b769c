import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Measures a bar at the lower edge, so that the page and the notices leave room for it. While it is shown, its height and
 * `gap`, in pixels, are in the CSS property `name`. Returns the reference for the bar.
 */
export function useRoom(name: `--${string}`, isShown: boolean, gap = 0): RefObject<HTMLElement | null> {
  const bar = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const { style } = document.documentElement
    const { current } = bar
    if (!isShown || !current) return
    const measure = () => style.setProperty(name, `${current.offsetHeight + gap}px`)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => {
      observer.disconnect()
      style.removeProperty(name)
    }
  }, [name, isShown, gap])
  return bar
}
