import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import type { FileView, Item } from '#contract/resources.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { preloadPictures } from '#web/features/preview/picture/preload.ts'
import { isPageShortcut } from '#web/overlays/page-key.ts'
import { navigateTo } from '#web/shared/paths.ts'
import { stripOf } from './strip-items.ts'
import { viewer } from './viewer-state.ts'

/** How long each picture is shown, in milliseconds. */
const eachMs = 5000

/** The picture that a slide show shows after `file`: after the last one, the first. Undefined if it is the only one. */
export function nextSlide(file: Pick<FileView, 'path' | 'type'>): Item | undefined {
  const pictures = stripOf(file).filter(({ type }) => type === 'image')
  const at = pictures.findIndex(({ path }) => path === file.path)
  return at < 0 || pictures.length < 2 ? undefined : pictures[(at + 1) % pictures.length]
}

/** Starts a slide show in full screen, where the browser permits that. */
export function startSlideShow(): void {
  viewer.slideShow = 'on'
  // Not every browser has it, and a page in a frame may not use it.
  void document.documentElement.requestFullscreen?.().catch(() => undefined)
}

/** Ends the slide show, and full screen with it. */
export function stopSlideShow(): void {
  viewer.slideShow = 'off'
  if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined)
}

/**
 * Runs the slide show while `file` is open. Space pauses it. Escape and a touch end it, and so does leaving full screen. A
 * picture is only shown when it has been decoded.
 */
export function useSlideShow(file: FileView): void {
  const { slideShow } = useSnapshot(viewer)
  useEffect(() => {
    const next = slideShow === 'on' ? nextSlide(file) : undefined
    if (!next) return
    const controller = new AbortController()
    const timer = setTimeout(() => {
      void preloadPictures([next], controller.signal).then(() => {
        // The user may have turned to another picture meanwhile.
        if (!controller.signal.aborted && files.path === file.path) navigateTo(next.url, { replace: true })
      })
    }, eachMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [file, slideShow])
  const isOn = slideShow !== 'off'
  useEffect(() => (isOn ? watchEnd() : undefined), [isOn])
  useEffect(() => (slideShow === 'on' ? keepScreenOn() : undefined), [slideShow])
  // The viewer was closed.
  useEffect(() => stopSlideShow, [])
}

/** Ends or pauses the slide show when the user does something. Returns a function that stops watching. */
function watchEnd(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (!isPageShortcut(event) || (event.key !== 'Escape' && event.key !== ' ')) return
    // Escape would close the picture, too.
    event.stopImmediatePropagation()
    event.preventDefault()
    if (event.key === 'Escape') stopSlideShow()
    else viewer.slideShow = viewer.slideShow === 'on' ? 'paused' : 'on'
  }
  const onPointer = ({ pointerType }: PointerEvent) => pointerType === 'touch' && stopSlideShow()
  const onScreen = () => document.fullscreenElement ?? stopSlideShow()
  addEventListener('keydown', onKey, true)
  addEventListener('pointerdown', onPointer, true)
  document.addEventListener('fullscreenchange', onScreen)
  return () => {
    removeEventListener('keydown', onKey, true)
    removeEventListener('pointerdown', onPointer, true)
    document.removeEventListener('fullscreenchange', onScreen)
  }
}

/** Keeps the screen on, where the browser can. Returns a function that ends this. */
function keepScreenOn(): () => void {
  let lock: Promise<WakeLockSentinel | undefined> | undefined
  // The browser releases the lock of a hidden page.
  const hold = () => {
    if (document.visibilityState === 'hidden') return
    // Older browsers have no such lock, and one may refuse it to save its battery.
    lock = (navigator as { wakeLock?: WakeLock }).wakeLock?.request('screen').catch(() => undefined)
  }
  hold()
  document.addEventListener('visibilitychange', hold)
  return () => {
    document.removeEventListener('visibilitychange', hold)
    void lock?.then((held) => held?.release())
  }
}
