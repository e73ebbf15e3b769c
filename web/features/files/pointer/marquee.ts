import { ref } from 'valtio'
import { files } from '#web/features/files/state/files-state.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { firstFileOf, titleRem } from '#web/features/files/views/sections.ts'
import styles from './marquee.module.css'
import { itemsInBand, offsetOf } from './marquee-geometry.ts'

/** A press that moves less than this is a click, in pixels. */
const clickSlackPx = 5
/** Distance from an edge at which the list begins to scroll, in pixels. */
const scrollEdgePx = 48
/** Maximum time for which one frame scrolls. In a longer step, a card could pass the box without being checked. */
const maxStepMs = 100

interface Marquee {
  grid: HTMLElement
  box: HTMLElement
  /** The start point, in the coordinates of the grid's content, so that scrolling does not move it. */
  from: { x: number; y: number }
  /** The position of the pointer, in the window. */
  to: { x: number; y: number }
  /** The selection before the box, and the part of it that stays (with Ctrl). */
  before: ReadonlySet<string>
  kept: ReadonlySet<string>
  /** The indices of touched items. Items that have scrolled out of view are no longer in the document. */
  touched: Set<number>
  /** The timestamp of the last drawn frame, in milliseconds; undefined before the first. */
  drawnAt?: number
}

let pressed: { grid: HTMLElement; x: number; y: number; keep: boolean } | undefined
let marquee: Marquee | undefined
let frame = 0
/** Escape has cancelled the box, but the button is still pressed. */
let isCancelled = false

/** Handles selection boxes, which select the items they touch, with Ctrl in addition. Called once. */
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
  const grid = target.closest<HTMLElement>('[data-part=files] [role=grid]')
  // A press on a draggable element starts a drag instead.
  if (!grid || target.closest('[data-index][draggable=true], button, [data-check]')) return
  const { left } = grid.getBoundingClientRect()
  const isInside = x >= left + grid.clientLeft && x < left + grid.clientLeft + grid.clientWidth
  if (isInside) pressed = { grid, x, y, keep: event.ctrlKey || event.metaKey || event.shiftKey }
}

function move(event: PointerEvent): void {
  const { clientX: x, clientY: y } = event
  if (pressed && !marquee && Math.hypot(x - pressed.x, y - pressed.y) > clickSlackPx) marquee = begin(pressed)
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

/** Runs once per frame: scrolls when the pointer is at an edge, finds the touched items, draws the box. */
function draw(now: number): void {
  if (!marquee) return
  const { grid, box, from, to, drawnAt = now } = marquee
  const view = grid.getBoundingClientRect()
  grid.scrollTop += speed(to.y, view) * Math.min(now - drawnAt, maxStepMs)
  marquee.drawnAt = now
  const start = { x: from.x + view.left, y: from.y + view.top - grid.scrollTop }
  const area = new DOMRect(
    Math.min(start.x, to.x),
    Math.min(start.y, to.y),
    Math.abs(start.x - to.x),
    Math.abs(start.y - to.y),
  )
  const top = Math.max(area.top, view.top)
  Object.assign(box.style, {
    left: `${area.left}px`,
    top: `${top}px`,
    width: `${area.width}px`,
    height: `${Math.max(0, Math.min(area.bottom, view.bottom) - top)}px`,
  })
  touch(marquee, area)
  frame = requestAnimationFrame(draw)
}

/**
 * The scroll speed in pixels per millisecond, independent of the frame rate. It grows with the distance beyond the
 * edge.
 */
function speed(y: number, { top, bottom }: DOMRect): number {
  const beyond = Math.max(0, y - (bottom - scrollEdgePx)) - Math.max(0, top + scrollEdgePx - y)
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

/** Checks the visible cards. Cards that have scrolled out of view keep their state. */
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
  if (marquee || isCancelled) suppressClick()
  isCancelled = false
  if (!marquee) return
  const last = [...marquee.touched].at(-1)
  if (last !== undefined) {
    selection.cursor = last
    selection.anchor = last
  }
  remove()
}

/** Suppresses the click after a box, which would clear the new selection. */
function suppressClick(): void {
  const suppress = (event: Event) => {
    event.stopPropagation()
    event.preventDefault()
  }
  addEventListener('click', suppress, { capture: true, once: true })
  setTimeout(() => removeEventListener('click', suppress, true))
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

/** Escape cancels the box and restores the selection. */
function onKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || !marquee) return
  event.preventDefault()
  event.stopPropagation()
  isCancelled = true
  cancel()
}
