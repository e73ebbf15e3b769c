import { i18n } from '@lingui/core'
import type { Item } from '#contract/resources.ts'
import { formatNumber } from '#web/ui/format.ts'
import { contextNow } from './action-context.ts'
import styles from './drag.module.css'
import { files } from './files-state.ts'
import { selection, selectOnly } from './selection.ts'
import { canTake, type Transfer, transfer } from './transfer.ts'

let dragged: readonly Item[] | undefined
let marked: Element | null = null

/** Lets items be dragged onto folders and breadcrumbs: a move, with Ctrl a copy. Called once. */
export function listenToDrags(): void {
  addEventListener('dragstart', start)
  addEventListener('dragover', over)
  addEventListener('drop', drop)
  addEventListener('dragend', end)
}

function start(event: DragEvent): void {
  const { target, dataTransfer } = event
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
  const index = Number(row?.dataset.index ?? -1)
  const item = files.folder?.items[index]
  if (!row || !item || !dataTransfer) return
  // What is not selected is dragged alone.
  if (!selection.names.has(item.name)) selectOnly(files.folder?.items ?? [], index)
  const { chosen, may } = contextNow()
  if (chosen.length === 0 || (!may.rename && !may.create)) {
    event.preventDefault()
    return
  }
  dragged = chosen
  row.closest('[role=grid]')?.setAttribute('data-dragging', '')
  showCount(dataTransfer, chosen)
  dataTransfer.effectAllowed = 'copyMove'
  dataTransfer.setData('text/plain', chosen.map((one) => one.name).join('\n'))
}

/** Several are shown as the first and how many more. The browser keeps a picture of it: it goes at once. */
function showCount(data: DataTransfer, chosen: readonly Item[]): void {
  const [first] = chosen
  if (!first || chosen.length < 2) return
  const badge = document.createElement('div')
  badge.className = styles.badge ?? ''
  badge.textContent = `${first.name} +${formatNumber(chosen.length - 1, i18n.locale)}`
  document.body.append(badge)
  data.setDragImage(badge, -12, -12)
  setTimeout(() => badge.remove())
}

function over(event: DragEvent): void {
  if (!dragged || !event.dataTransfer) return
  const row = folderUnder(event)
  const kind = kindOf(event)
  const isWelcome = row !== null && kind !== undefined && canTake(kind, dragged, pathOf(row))
  mark(isWelcome ? row : null)
  if (!isWelcome) return
  event.preventDefault()
  event.dataTransfer.dropEffect = kind === 'copy' ? 'copy' : 'move'
}

function drop(event: DragEvent): void {
  if (!dragged) return
  const [items, row, kind] = [dragged, folderUnder(event), kindOf(event)]
  end()
  if (!row || !kind || !canTake(kind, items, pathOf(row))) return
  event.preventDefault()
  void transfer(kind, items, pathOf(row))
}

function end(): void {
  mark(null)
  for (const grid of document.querySelectorAll('[data-dragging]')) grid.removeAttribute('data-dragging')
  dragged = undefined
}

/** What a drag means now; undefined when the right to it is missing. */
function kindOf({ ctrlKey, altKey }: DragEvent): Transfer | undefined {
  const { may } = contextNow()
  // Apple's machines copy with Alt, all others with Ctrl.
  if (ctrlKey || altKey) return may.create ? 'copy' : undefined
  return may.rename ? 'rename' : undefined
}

function folderUnder({ target }: DragEvent): Element | null {
  return target instanceof Element ? target.closest('[data-folder]') : null
}

function pathOf(row: Element): string {
  const path = row.getAttribute('data-folder') ?? '/'
  return path.endsWith('/') ? path : `${path}/`
}

function mark(next: Element | null): void {
  if (marked === next) return
  marked?.removeAttribute('data-drop-here')
  next?.setAttribute('data-drop-here', '')
  marked = next
}
