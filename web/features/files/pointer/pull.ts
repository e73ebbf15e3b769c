import { refreshFolder } from '#web/features/files/state/files-state.ts'
import styles from './drag.module.css'

/** How far the finger pulls the list down before it is loaded again, in pixels. */
const farPx = 110
/** The sign follows the finger at this fraction of its way. */
const follow = 0.5

interface Pull {
  list: Element
  /** Where the finger has started, in pixels. */
  y: number
  sign?: HTMLElement
  isFar: boolean
}

let pull: Pull | undefined

/** Handles pulling the list down with a finger: the folder is loaded again. Called once. */
export function listenToPulls(): void {
  addEventListener('touchstart', start, { passive: true })
  addEventListener('touchmove', move, { passive: true })
  addEventListener('touchend', release)
  addEventListener('touchcancel', cancel)
}

function start({ touches, target }: TouchEvent): void {
  cancel()
  const list = target instanceof Element ? target.closest('[data-part=files] [data-part=list]') : null
  const [touch] = touches
  if (list && touch && touches.length === 1 && list.scrollTop <= 0) {
    pull = { list, y: touch.clientY, isFar: false }
  }
}

function move({ touches }: TouchEvent): void {
  const [touch] = touches
  if (!pull || !touch) return
  const way = touch.clientY - pull.y
  // The list scrolls, or a long press drags an item.
  if (way < -4 || pull.list.scrollTop > 0 || pull.list.hasAttribute('data-dragging')) cancel()
  else if (way >= 16) show(pull, way)
}

function show(pull: Pull, way: number): void {
  pull.sign ??= createSign(pull.list)
  pull.isFar = way >= farPx
  pull.sign.style.translate = `-50% ${Math.min(way, farPx * 1.3) * follow}px`
  pull.sign.style.rotate = `${Math.min(way / farPx, 1) * 270}deg`
  pull.sign.toggleAttribute('data-far', pull.isFar)
}

function createSign(list: Element): HTMLElement {
  const sign = document.createElement('div')
  sign.className = styles.pull ?? ''
  sign.ariaHidden = 'true'
  sign.dataset.part = 'pull'
  const { top, left, width } = list.getBoundingClientRect()
  sign.style.insetBlockStart = `${top}px`
  // In pixels from the left edge in both writing directions.
  sign.style.left = `${left + width / 2}px`
  document.body.append(sign)
  return sign
}

/** Loads the folder again if the finger has pulled far enough. The sign stays until that is done. */
function release(): void {
  const pulled = pull
  pull = undefined
  if (!pulled?.sign) return
  const { sign } = pulled
  if (pulled.isFar) {
    sign.toggleAttribute('data-busy', true)
    void refreshFolder().finally(() => sign.remove())
  } else sign.remove()
}

function cancel(): void {
  pull?.sign?.remove()
  pull = undefined
}
