import { useEffect, useRef } from 'react'

/** https://html.spec.whatwg.org/multipage/interaction.html#close-watcher-interface; TypeScript does not know it yet. */
type CloseWatcherType = new () => EventTarget & { destroy(): void }

/**
 * On touch screens, the Back gesture or button of the device closes what is on top, instead of leaving the page. Browsers
 * without close watchers leave the page as before.
 */
export function useBackCloses(close: () => void): void {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    const { CloseWatcher } = globalThis as { CloseWatcher?: CloseWatcherType }
    // With a mouse, Back is a button of the window, which belongs to the page. Escape closes as before.
    if (!CloseWatcher || !matchMedia('(pointer: coarse)').matches) return
    const watcher = new CloseWatcher()
    watcher.addEventListener('close', () => latest.current())
    return () => watcher.destroy()
  }, [])
}
