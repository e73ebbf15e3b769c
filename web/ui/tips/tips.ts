import { keyText } from '../format/key-text.ts'
import { shownName } from '../format/shown-name.ts'
import styles from './tips.module.css'

/** How long the pointer rests before a tooltip appears, in milliseconds. */
const delayMs = 500
/** After a tooltip has been hidden, the next one appears at once for so long, in milliseconds. */
const warmMs = 400
/** How long the keyboard rests on a row before the tooltip of its time appears, in milliseconds. */
const restMs = 900
/** How often a shown tooltip checks that its element is still there, in milliseconds. */
const checkMs = 250
/** Distance to the element and to the edges of the window, in pixels. */
const gap = 6

/** These keys move the focus. After others, such as Escape in a menu, the returning focus shows no tooltip. */
const movingKeys = /^(Tab|Home|End|Arrow.*)$/

const selector = '[data-tip], [data-full]'
const openMenu = '[aria-haspopup][aria-expanded="true"]'

let tip: HTMLElement | undefined
let anchor: Element | undefined
let waiting: Element | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let rest: ReturnType<typeof setTimeout> | undefined
let check: ReturnType<typeof setInterval> | undefined
let hiddenAt = -Infinity
let hasMovedFocus = false

/**
 * Shows tooltips for elements with `data-tip` (its text, or empty for the accessible name) and for texts with
 * `data-full` (the full text, shown only while it is truncated). Screen readers know these texts already, so tooltips
 * are hidden from them. A row that has the keyboard for a while shows the tooltip of its time. Called once.
 */
export function listenToTips(): void {
  document.addEventListener('pointerover', onPointerOver)
  document.documentElement.addEventListener('pointerleave', hide)
  document.addEventListener('pointerdown', dismiss, true)
  document.addEventListener('focusin', onFocus)
  document.addEventListener('focusout', hide)
  document.addEventListener('keydown', onKeyDown, true)
  addEventListener('scroll', hide, { capture: true, passive: true })
  addEventListener('blur', hide)
}

function onPointerOver({ target, pointerType }: PointerEvent): void {
  const next = (pointerType !== 'touch' && target instanceof Element && target.closest(selector)) || undefined
  if (next === waiting) return
  hide()
  waiting = next
  if (!next) return
  const isWarm = performance.now() - hiddenAt < warmMs
  timer = setTimeout(() => show(next), isWarm ? 0 : delayMs)
}

/** A pressed element shows no tooltip until the pointer has left it. */
function dismiss(): void {
  clearTimeout(rest)
  const pressed = waiting
  hide()
  hiddenAt = -Infinity
  waiting = pressed
}

function onFocus({ target }: FocusEvent): void {
  if (hasMovedFocus && target instanceof Element && target.matches(`:is(${selector}):focus-visible`)) {
    hide()
    show(target)
  }
}

function onKeyDown({ key }: KeyboardEvent): void {
  clearTimeout(rest)
  hasMovedFocus = movingKeys.test(key)
  if (!/^(Control|Shift|Alt|Meta)$/.test(key)) dismiss()
  if (hasMovedFocus) rest = setTimeout(showTimeOfRow, restMs)
}

/** The row with the focus, or the one that is current in the list with the focus. */
function showTimeOfRow(): void {
  const { activeElement } = document
  const id = activeElement?.getAttribute('aria-activedescendant')
  const row = id ? document.getElementById(id) : activeElement?.closest('[data-part="row"]')
  const time = row?.querySelector('time[data-tip]')
  if (time?.checkVisibility() && !anchor) show(time)
}

function hide(): void {
  clearTimeout(timer)
  clearInterval(check)
  waiting = undefined
  if (!anchor) return
  anchor = undefined
  hiddenAt = performance.now()
  tip?.remove()
}

function show(element: Element): void {
  const text = textOf(element)
  // The open menu of a button is beside it.
  if (!text || !element.isConnected || element.matches(openMenu)) return
  tip ??= createTip()
  const keys = element.getAttribute('aria-keyshortcuts')?.split(' ')[0]
  tip.replaceChildren(text)
  if (keys) {
    const cap = document.createElement('kbd')
    cap.textContent = keyText(keys.replace('Control', 'Mod'))
    tip.append(cap)
  }
  document.body.append(tip)
  if ('showPopover' in tip) tip.showPopover()
  anchor = element
  waiting = element
  place(tip, element)
  check = setInterval(() => {
    if (!element.isConnected || element.matches(openMenu)) hide()
  }, checkMs)
}

/** The text of the tooltip; undefined: none. */
function textOf(element: Element): string | null | undefined {
  const text = element.getAttribute('data-tip')
  if (text === null)
    return isTruncated(element) ? shownName(element.getAttribute('data-full') ?? '') : undefined
  return text || element.getAttribute('aria-label')
}

function isTruncated(element: Element): boolean {
  // Inline elements have no width. In the narrow sidebar, labels are one pixel wide.
  return [element, ...element.querySelectorAll('*')].some(
    (one) =>
      (one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1) ||
      (one.clientWidth === 1 && !one.matches('.visually-hidden')),
  )
}

function createTip(): HTMLElement {
  const element = document.createElement('div')
  element.className = styles.tip ?? ''
  element.dataset.part = 'tip'
  // Above dialogs, which are in the top layer or have a high z-index.
  element.popover = 'manual'
  element.setAttribute('aria-hidden', 'true')
  return element
}

/** Below the element, or above it without room there, and never beyond an edge of the window. */
function place(tip: HTMLElement, element: Element): void {
  const at = element.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = tip
  const { clientWidth, clientHeight } = document.documentElement
  const x = Math.max(gap, Math.min(at.left + (at.width - width) / 2, clientWidth - width - gap))
  const isBelow = at.bottom + gap + height <= clientHeight - gap
  const y = isBelow ? at.bottom + gap : Math.max(gap, at.top - gap - height)
  tip.style.translate = `${Math.round(x)}px ${Math.round(y)}px`
}
