import { ref } from 'valtio'
import { files } from '#web/features/files/state/files-state.ts'
import { firstFileOf, titleRem } from '#web/features/files/state/sections.ts'
import { selection } from '#web/features/files/state/selection.ts'
import styles from './marquee.module.css'
import { itemsInBand, offsetOf } from './marquee-geometry.ts'

/** A press that moves less than this is a click, in pixels. */
const slack = 5
/** So near to an edge the list begins to scroll, in pixels. */
const edge = 48
/** One frame scrolls for at most this time. In a longer step, a card could pass the box without being checked. */
const longestStepMs = 100

interface Marquee {
  grid: HTMLElement
  box: HTMLElement
  /** Where it began, in the grid's own content, so that scrolling leaves it where it is. */
  from: { x: number; y: number }
  /** Where the pointer is, in the window. */
  to: { x: number; y: number }
  /** What was selected before, and what stays so with Ctrl. */
  before: ReadonlySet<string>
  kept: ReadonlySet<string>
  /** What it has touched, by index: what has scrolled out of sight is no longer in the document. */
  touched: Set<number>
  /** The timestamp of the last frame that drew it, in milliseconds; undefined: none has. */
  drawnAt?: number
}

let pressed: { grid: HTMLElement; x: number; y: number; keep: boolean } | undefined
let marquee: Marquee | undefined
let frame = 0
/** Escape has taken the box back; the button is still down. */
let isTakenBack = false

/** Lets a mouse draw a box over the list: what it touches is selected, with Ctrl in addition. Called once. */
export function listenToMarquee(): void {
  addEventListener('pointerdown', press)
  addEventListener('pointermove', move)
  addEventListener('pointerup', end)
  addEventListener('pointercancel', cancel)
  addEventListener('keydown', onKey, true)
}

function press(event: PointerEvent): void {
  const { target, button, pointerType, clientX: x, clientY: y } = event
  if (button !== 0 || pointerType === 'touch' || !(target instanceof Element)) return
  const grid = target.closest<HTMLElement>('[role=grid]')
  // What can be dragged is dragged.
  if (!grid || target.closest('[data-index][draggable=true], button, [data-check]')) return
  const { left } = grid.getBoundingClientRect()
  const isInside = x >= left + grid.clientLeft && x < left + grid.clientLeft + grid.clientWidth
  if (isInside) pressed = { grid, x, y, keep: event.ctrlKey || event.metaKey || event.shiftKey }
}

function move(event: PointerEvent): void {
  const { clientX: x, clientY: y } = event
  if (pressed && !marquee && Math.hypot(x - pressed.x, y - pressed.y) > slack) marquee = begin(pressed)
  if (marquee) marquee.to = { x, y }
}

function begin({ grid, x, y, keep }: NonNullable<typeof pressed>): Marquee {
  const { left, top } = grid.getBoundingClientRect()
  const box = document.createElement('div')
  box.className = styles.box ?? ''
  box.dataset.part = 'marquee'
  document.body.append(box)
  frame = requestAnimationFrame(draw)
  return {
    grid,
    box,
    from: { x: x - left, y: y - top + grid.scrollTop },
    to: { x, y },
    before: selection.names,
    kept: keep ? selection.names : new Set(),
    touched: new Set(),
  }
}

/** Once a frame: scroll when the pointer is at an edge, look what is touched, show it. */
function draw(now: number): void {
  if (!marquee) return
  const { grid, box, from, to, drawnAt = now } = marquee
  const sight = grid.getBoundingClientRect()
  grid.scrollTop += speed(to.y, sight) * Math.min(now - drawnAt, longestStepMs)
  marquee.drawnAt = now
  const start = { x: from.x + sight.left, y: from.y + sight.top - grid.scrollTop }
  const area = new DOMRect(
    Math.min(start.x, to.x),
    Math.min(start.y, to.y),
    Math.abs(start.x - to.x),
    Math.abs(start.y - to.y),
  )
  const top = Math.max(area.top, sight.top)
  Object.assign(box.style, {
    left: `${area.left}px`,
    top: `${top}px`,
    width: `${area.width}px`,
    height: `${Math.max(0, Math.min(area.bottom, sight.bottom) - top)}px`,
  })
  touch(marquee, area)
  frame = requestAnimationFrame(draw)
}

/** The speed of scrolling in pixels a millisecond, whatever the frame rate. It grows with the distance beyond the edge. */
function speed(y: number, { top, bottom }: DOMRect): number {
  const beyond = Math.max(0, y - (bottom - edge)) - Math.max(0, top + edge - y)
  return Math.sign(beyond) * Math.min(1.44, Math.abs(beyond) / 50)
}

function touch(marquee: Marquee, area: DOMRect): void {
  const row = marquee.grid.querySelector<HTMLElement>('[data-part=row]')
  const touched = row ? rowsIn(row, area) : cardsIn(marquee, area)
  if (isSame(touched, marquee.touched)) return
  const items = files.folder?.items ?? []
  selection.names = ref(
    new Set([...marquee.kept, ...[...touched].flatMap((index) => items[index]?.name ?? [])]),
  )
  marquee.touched = touched
}

function isSame(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && [...one].every((index) => other.has(index))
}

/** All rows have one height, so the place of one row gives the places of all, including rows that are not rendered. */
function rowsIn(row: HTMLElement, area: DOMRect): Set<number> {
  const { top, height } = row.getBoundingClientRect()
  const items = files.folder?.items ?? []
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const geometry = { height, title: titleRem * rem, count: items.length, firstFile: firstFileOf(items) }
  const start = top - offsetOf(Number(row.dataset.index), geometry)
  const [from, to] = itemsInBand({ top: area.top - start, bottom: area.bottom - start }, geometry)
  return new Set(Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n))
}

/** Those in sight are looked at; those that have scrolled away stay as they were. */
function cardsIn({ grid, touched }: Marquee, area: DOMRect): Set<number> {
  const found = new Set(touched)
  for (const card of grid.querySelectorAll<HTMLElement>('[data-index]')) {
    const { left, right, top, bottom } = card.getBoundingClientRect()
    const isTouched = left < area.right && right > area.left && top < area.bottom && bottom > area.top
    if (isTouched) found.add(Number(card.dataset.index))
    else found.delete(Number(card.dataset.index))
  }
  return found
}

function end(): void {
  pressed = undefined
  if (marquee || isTakenBack) swallowClick()
  isTakenBack = false
  if (!marquee) return
  const last = [...marquee.touched].at(-1)
  if (last !== undefined) {
    selection.cursor = last
    selection.anchor = last
  }
  remove()
}

/** The click that follows a box would clear what has just been selected. */
function swallowClick(): void {
  const swallow = (event: Event) => {
    event.stopPropagation()
    event.preventDefault()
  }
  addEventListener('click', swallow, { capture: true, once: true })
  setTimeout(() => removeEventListener('click', swallow, true))
}

function cancel(): void {
  pressed = undefined
  if (!marquee) return
  selection.names = ref(new Set(marquee.before))
  remove()
}

function remove(): void {
  cancelAnimationFrame(frame)
  marquee?.box.remove()
  marquee = undefined
}

/** Escape takes the box back, and leaves the selection as it was. */
function onKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || !marquee) return
  event.preventDefault()
  event.stopPropagation()
  isTakenBack = true
  cancel()
}
