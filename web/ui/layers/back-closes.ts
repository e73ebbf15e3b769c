import { useEffect, useRef } from 'react'
import { backEntry } from './back-entry.ts'

/** https://html.spec.whatwg.org/multipage/interaction.html#close-watcher-interface; TypeScript does not know it yet. */
type CloseWatcherType = new () => EventTarget & { destroy(): void }

/** A layer that is still open after this time refused to close, or asks first. In milliseconds. */
const settleMs = 300

/**
 * On touch screens, the Back gesture or button of the device closes what is on top, instead of leaving the page.
 *
 * @param isOn whether this can be closed now
 */
export function useBackCloses(close: () => void, isOn = true): void {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => (isOn && isTouch() ? watch(() => latest.current()) : undefined), [isOn])
}

/** Makes Back close dialog elements, too, in browsers where they do not do so by themselves. Called once. */
export function watchDialogs(): void {
  if (closeWatcher() || !isTouch()) return
  const ends = new Map<HTMLDialogElement, () => void>()
  // This event does not bubble.
  const onToggle = ({ target }: Event) => {
    if (!(target instanceof HTMLDialogElement)) return
    ends.get(target)?.()
    ends.delete(target)
    const isOpen = () => target.isConnected && target.open
    if (isOpen()) ends.set(target, pushLayer({ close: () => target.close(), isOpen }))
  }
  document.addEventListener('toggle', onToggle, true)
}

/** With a mouse, Back is a button of the window, which belongs to the page. Escape closes as before. */
function isTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches
}

function closeWatcher(): CloseWatcherType | undefined {
  return (globalThis as { CloseWatcher?: CloseWatcherType }).CloseWatcher
}

/** Closes a layer when the user goes back. Returns a function that ends this. */
function watch(close: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let end: () => void
  const start = () => {
    end = openLayer(() => {
      close()
      // It may still be there: a running task goes on, or a question is open.
      timer = setTimeout(start, settleMs)
    })
  }
  start()
  return () => {
    clearTimeout(timer)
    end()
  }
}

function openLayer(close: () => void): () => void {
  const Watcher = closeWatcher()
  if (!Watcher) return pushLayer({ close })
  const watcher = new Watcher()
  watcher.addEventListener('close', close)
  return () => watcher.destroy()
}

interface Layer {
  close(): void
  /** Missing: until it is removed. */
  isOpen?(): boolean
}

/** In browsers without close watchers: what is open, the newest last. */
let layers: Layer[] = []

/**
 * The state of an entry of the history that Back leaves instead of the page, while something is open. It has the address of
 * the page. When all is closed it stays; a new page replaces it (`shared/paths.ts`), and Back passes it by.
 */
const state = { isLayer: true }
let isListening = false

function pushLayer(layer: Layer): () => void {
  listen()
  layers.push(layer)
  addEntry()
  return () => {
    layers = layers.filter((one) => one !== layer)
  }
}

function addEntry(): void {
  backEntry.isCurrent = (history.state as Partial<typeof state> | null)?.isLayer === true
  if (layers.length > 0 && !backEntry.isCurrent) history.pushState(state, '')
}

function listen(): void {
  if (isListening) return
  isListening = true
  addEventListener('popstate', onStep)
  // The router announces its pages with these. What is still open needs an entry above the new page.
  for (const type of ['pushState', 'replaceState']) addEventListener(type, addEntry)
}

function onStep(event: PopStateEvent): void {
  const wasOnEntry = backEntry.isCurrent
  layers = layers.filter(({ isOpen }) => isOpen?.() ?? true)
  const top = wasOnEntry ? layers.pop() : undefined
  addEntry()
  if (!wasOnEntry) return
  event.stopImmediatePropagation()
  if (top) top.close()
  // Nothing was open: the user goes back to the page before.
  else history.back()
}
