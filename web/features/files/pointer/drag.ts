import { i18n } from '@lingui/core'
import type { Item } from '#contract/resources.ts'
import { canTransferTo, type TransferKind, transfer } from '#web/features/files/operations/transfer.ts'
import { currentContext } from '#web/features/files/state/action-context.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { selection, selectOnly } from '#web/features/files/state/selection.ts'
import { hoverFolder, stopHovering } from '#web/shared/lists/hover-open.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './drag.module.css'
import { folderOf, highlight, placeUnder } from './drop-places.ts'

let dragged: readonly Item[] | undefined
/** The folder from which the dragged items come. */
let origin = ''

/**
 * Handles dragging items onto folders and breadcrumbs: a move, with Ctrl a copy. A folder under a resting drag opens
 * and accepts the drop anywhere. Called once.
 */
export function listenToDrags(): void {
  addEventListener('dragstart', start)
  addEventListener('dragover', over)
  addEventListener('drop', drop)
  addEventListener('dragend', end)
  addEventListener('dragleave', ({ relatedTarget }) => relatedTarget || stopHovering())
}

function start(event: DragEvent): void {
  const { target, dataTransfer } = event
  // Lists of other pages have rows, too, but not of the loaded folder.
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-part=files] [data-index]') : null
  const index = Number(row?.dataset.index ?? -1)
  const item = files.folder?.items[index]
  if (!row || !item || !dataTransfer) return
  // An unselected item is dragged alone.
  if (!selection.names.has(item.name)) selectOnly(files.folder?.items ?? [], index)
  const { chosen, may } = currentContext()
  if (chosen.length === 0 || (!may.rename && !may.create)) {
    event.preventDefault()
    return
  }
  dragged = chosen
  origin = files.folder?.path ?? ''
  // The row may be removed when a folder opens. The window does not receive the events of a removed element.
  row.addEventListener('dragend', end, { once: true })
  showAsDragged(row.closest('[role=grid]'))
  showCount(dataTransfer, chosen)
  dataTransfer.effectAllowed = 'copyMove'
  dataTransfer.setData('text/plain', chosen.map((one) => one.name).join('\n'))
}

/**
 * The drag image of several items: the first name and the number of others. The browser copies it, so it is removed at
 * once.
 */
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
  if (!dragged || !event.dataTransfer || event.dataTransfer.types.includes('Files')) return
  const [place, kind] = [placeUnder(event.target, origin), kindOf(event)]
  // Another folder has opened. Its selected items are not the dragged ones.
  if (files.folder?.path !== origin) showAsDragged(null)
  const isDragged = place && dragged.some(({ path }) => `${path}/` === folderOf(place))
  hoverFolder(place && !isDragged ? folderOf(place) : undefined, event)
  const isAllowed = place && kind && canTransferTo(kind, dragged, folderOf(place))
  highlight(isAllowed ? place : null)
  if (!isAllowed) return
  event.preventDefault()
  event.dataTransfer.dropEffect = kind === 'copy' ? 'copy' : 'move'
}

function drop(event: DragEvent): void {
  if (!dragged) return
  const [items, place, kind] = [dragged, placeUnder(event.target, origin), kindOf(event)]
  end()
  if (!place || !kind || !canTransferTo(kind, items, folderOf(place))) return
  event.preventDefault()
  void transfer(kind, items, folderOf(place))
}

function showAsDragged(next: Element | null): void {
  for (const grid of document.querySelectorAll('[data-dragging]')) grid.removeAttribute('data-dragging')
  next?.setAttribute('data-dragging', '')
}

function end(): void {
  stopHovering()
  highlight(null)
  showAsDragged(null)
  dragged = undefined
}

/** The kind of transfer of a drag; undefined when the permission is missing. */
function kindOf({ ctrlKey, altKey }: DragEvent): TransferKind | undefined {
  const { may } = currentContext()
  // Macs copy with Alt, other systems with Ctrl.
  if (ctrlKey || altKey) return may.create ? 'copy' : undefined
  return may.rename ? 'rename' : undefined
}
