import { i18n } from '@lingui/core'
import type { Item } from '#contract/resources.ts'
import { canTransferTo, transfer } from '#web/features/files/operations/transfer.ts'
import { currentContext } from '#web/features/files/state/action-context.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { hoverFolder, stopHovering } from '#web/shared/lists/hover-open.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './drag.module.css'
import { folderOf, highlight, placeUnder } from './drop-places.ts'

/** The long press that selects an item ends a little earlier (`features/files/list/list-behaviour.ts`), in milliseconds. */
const holdMs = 500
/** A finger that moves less than this rests, in pixels. */
const tolerancePx = 10
/** The list scrolls while the finger is this near its edges, in pixels. */
const edgePx = 56
/** How far the list scrolls in one frame, in pixels. */
const scrollPx = 9

interface Drag {
  items: readonly Item[]
  from: string
  badge: HTMLElement
  /** Where the finger is, in pixels. */
  x: number
  y: number
}

let hold: { timer: ReturnType<typeof setTimeout>; x: number; y: number; isReady: boolean } | undefined
let drag: Drag | undefined

/**
 * Handles dragging with a finger: a long press selects an item, and moving the finger then drags the selection onto a folder,
 * which moves it there. Browsers drag nothing by touch themselves, or only links. Called once.
 */
export function listenToTouchDrags(): void {
  addEventListener('touchstart', start, { passive: true })
  // Not passive: a finger that drags does not scroll.
  addEventListener('touchmove', move, { passive: false })
  addEventListener('touchend', drop)
  addEventListener('touchcancel', end)
}

function start({ touches, target }: TouchEvent): void {
  end()
  const [touch] = touches
  const isItem =
    target instanceof Element && target.closest('[data-part=files] [data-part=list] [data-index]')
  if (!touch || touches.length > 1 || !isItem) return
  const timer = setTimeout(() => {
    if (hold) hold.isReady = true
  }, holdMs)
  hold = { timer, x: touch.clientX, y: touch.clientY, isReady: false }
}

function move(event: TouchEvent): void {
  const [touch] = event.touches
  if (!touch) return
  if (hold && Math.hypot(touch.clientX - hold.x, touch.clientY - hold.y) > tolerancePx) {
    const { isReady } = hold
    clearTimeout(hold.timer)
    hold = undefined
    if (isReady) begin(touch)
  }
  // A ready finger must not scroll before it has left its place.
  if ((drag || hold?.isReady) && event.cancelable) event.preventDefault()
  if (drag) moveTo(touch.clientX, touch.clientY)
}

function begin({ clientX: x, clientY: y }: Touch): void {
  const { chosen, may } = currentContext()
  if (chosen.length === 0 || !may.rename) return
  const badge = document.createElement('div')
  badge.className = `${styles.badge} ${styles.finger}`
  const others = chosen.length > 1 ? ` +${formatNumber(chosen.length - 1, i18n.locale)}` : ''
  badge.textContent = `${chosen[0]?.name}${others}`
  badge.ariaHidden = 'true'
  document.body.append(badge)
  drag = { items: chosen, from: files.folder?.path ?? '', badge, x, y }
  document.querySelector('[data-part=list]')?.setAttribute('data-dragging', '')
  requestAnimationFrame(scrollAtEdge)
}

function moveTo(x: number, y: number): void {
  if (!drag) return
  Object.assign(drag, { x, y })
  drag.badge.style.translate = `${x}px ${y}px`
  const place = placeUnder(document.elementFromPoint(x, y), drag.from)
  const isDragged = place && drag.items.some(({ path }) => `${path}/` === folderOf(place))
  hoverFolder(place && !isDragged ? folderOf(place) : undefined, { clientX: x, clientY: y })
  highlight(place && canTransferTo('rename', drag.items, folderOf(place)) ? place : null)
}

/** Scrolls the list while the finger rests near its upper or lower edge. */
function scrollAtEdge(): void {
  if (!drag) return
  const list = document.querySelector('[data-part=list]')
  const box = list?.getBoundingClientRect()
  if (list && box) {
    if (drag.y < box.top + edgePx) list.scrollTop -= scrollPx
    else if (drag.y > box.bottom - edgePx) list.scrollTop += scrollPx
  }
  requestAnimationFrame(scrollAtEdge)
}

function drop(event: TouchEvent): void {
  const dragged = drag
  end()
  if (!dragged) return
  // No click follows.
  event.preventDefault()
  const place = placeUnder(document.elementFromPoint(dragged.x, dragged.y), dragged.from)
  if (!place || !canTransferTo('rename', dragged.items, folderOf(place))) return
  void transfer('rename', dragged.items, folderOf(place))
}

function end(): void {
  clearTimeout(hold?.timer)
  hold = undefined
  if (!drag) return
  drag.badge.remove()
  drag = undefined
  stopHovering()
  highlight(null)
  for (const list of document.querySelectorAll('[data-dragging]')) list.removeAttribute('data-dragging')
}
