import { isPointerDown, onPointerRelease } from '#web/shared/lists/pointer.ts'
import { keepScroll } from '#web/shared/lists/scroll-anchor.ts'
import { onTrashChange } from '#web/shared/live/live-changes.ts'
import { refreshTrash, type ShowTrash, trash } from './trash-state.ts'

// The shortest time between two requests, in milliseconds. Requests for a long list take at most a fifth of the time.
const minPauseMs = 500
const pauseFactor = 4
const maxPauseMs = 10_000

const show: ShowTrash = async (before, now, apply) => {
  const { restore } = keepScroll(before, now, ({ id }) => id)
  apply()
  await restore()
}

/** Shows what others move to the trash, restore, and delete permanently. Returns a function that ends this. */
export function followTrash(): () => void {
  let isBehind = false
  let isReading = false
  let isEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauseUntil = 0

  function refreshSoon(): void {
    isBehind = true
    if (isEnded || isReading) return
    timer ??= setTimeout(run, Math.max(0, pauseUntil - performance.now()))
  }

  function run(): void {
    timer = undefined
    // Without a list there is nothing to refresh.
    if (isEnded || !trash.isLoaded) return
    if (trash.isLoading) timer = setTimeout(run, minPauseMs)
    // A list must not change under a pressed pointer.
    else if (isPointerDown()) onPointerRelease(refreshSoon)
    else if (document.visibilityState === 'hidden')
      document.addEventListener('visibilitychange', refreshSoon, { once: true })
    else void read()
  }

  async function read(): Promise<void> {
    isReading = true
    isBehind = false
    const began = performance.now()
    const isDone = await refreshTrash(show).catch(() => undefined)
    isReading = false
    const pauseMs = Math.max(minPauseMs, (performance.now() - began) * pauseFactor)
    // After an error it tries again later.
    pauseUntil = performance.now() + (isDone === undefined ? maxPauseMs : Math.min(maxPauseMs, pauseMs))
    if (isBehind || !isDone) refreshSoon()
  }

  const unsubscribe = onTrashChange(refreshSoon)
  return () => {
    isEnded = true
    clearTimeout(timer)
    unsubscribe()
  }
}
