import { useLingui } from '@lingui/react/macro'
import { type RefObject, useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { TrashItem } from '#contract/history/kept.ts'
import { headHeight } from '#web/shared/lists/head-height.ts'
import { printedPx, usePrinting } from '#web/shared/lists/use-printing.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { isFocusFree } from '#web/ui/layers/lost-focus.ts'
import { TrashHead } from './trash-head.tsx'
import { onClick, onContextMenu, onDoubleClick, onKeyDown, onPointerDown } from './trash-keys.ts'
import styles from './trash-list.module.css'
import { TrashRow, trashRowId } from './trash-row.tsx'
import { trashSelection } from './trash-selection.ts'
import { loadMoreTrash, retryTrash, trash } from './trash-state.ts'

/** The next page is loaded when the end is closer than this, in pixels. */
const nearEnd = 1200

/**
 * The grid of the loaded entries. Only the grid has the focus; it names the current entry (aria-activedescendant). So
 * scrolling never loses the focus, and only visible rows are in the document.
 */
export function TrashList() {
  const { t } = useLingui()
  const { total, failure } = useSnapshot(trash)
  // A snapshot has the same entries. Nothing below changes them.
  const items = useSnapshot(trash).items as readonly TrashItem[]
  const { ids, cursor } = useSnapshot(trashSelection)
  const absolute = useSnapshot(session).user?.dateFormat ?? false
  const grid = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const isPrinting = usePrinting()
  useFocus(grid)
  useCursorInSight(list, cursor, items)
  // Restored entries make the list shorter, which may bring the end near.
  // biome-ignore lint/correctness/useExhaustiveDependencies: checks after every change of the list.
  useEffect(() => loadNearEnd(grid.current), [items])
  const layout = () => ({
    count: items.length,
    columns: 1,
    page: Math.max(
      1,
      Math.floor((list.current?.viewportSize ?? 0) / (list.current?.getItemSize(cursor) || 44)) - 1,
    ),
    isRightToLeft: document.documentElement.dir === 'rtl',
  })
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={t`Trash`}
      aria-multiselectable
      aria-rowcount={total + 1}
      aria-activedescendant={items.length > 0 ? trashRowId(cursor) : undefined}
      tabIndex={0}
      className={styles.list}
      data-choosing={ids.size > 0 || undefined}
      data-part="list"
      onClick={(event) => isRow(event) && onClick(event, items)}
      onDoubleClick={(event) => onDoubleClick(event, items)}
      onContextMenu={(event) => onContextMenu(event, items)}
      onKeyDown={(event) => isOwn(event) && onKeyDown(event, items, layout())}
      onPointerDown={onPointerDown}
      onScroll={({ currentTarget }) => loadNearEnd(currentTarget)}
    >
      <TrashHead />
      <Virtualizer
        ref={list}
        data={items}
        startMargin={headHeight()}
        itemSize={44}
        bufferSize={isPrinting ? printedPx : 400}
        keepMounted={cursor < items.length ? [cursor] : []}
      >
        {(item, index) => (
          <TrashRow
            key={item.id}
            item={item}
            index={index}
            isSelected={ids.has(item.id)}
            isCurrent={cursor === index}
            absolute={absolute}
          />
        )}
      </Virtualizer>
      {failure && items.length > 0 && (
        <div role="row" className={styles.failure}>
          <div role="gridcell">
            <span role="alert">{failure}</span>
            <Button label={t`Try again`} onClick={retryTrash} />
          </div>
        </div>
      )}
    </div>
  )
}

/** Whether an event belongs to the rows, not to the button below them. */
function isRow({ target }: { target: EventTarget }): boolean {
  return target instanceof Element && target.closest('button') === null
}

function isOwn({ target, currentTarget }: { target: EventTarget; currentTarget: EventTarget }): boolean {
  return target === currentTarget
}

function loadNearEnd(grid: HTMLElement | null): void {
  if (grid && grid.scrollHeight - grid.scrollTop - grid.clientHeight < nearEnd) void loadMoreTrash()
}

/** Focuses the grid at first, unless another element has the focus. */
function useFocus(grid: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (isFocusFree()) grid.current?.focus({ preventScroll: true })
  }, [grid])
}

/**
 * Scrolls the least distance that shows the current row between the column headers and the lower edge, when the cursor
 * has moved. If the list has changed, the cursor has stayed on its entry, and nothing scrolls.
 */
function useCursorInSight(
  list: RefObject<VirtualizerHandle | null>,
  cursor: number,
  items: readonly TrashItem[],
): void {
  const before = useRef({ cursor, items })
  useEffect(() => {
    const rows = list.current
    const isMoved = before.current.cursor !== cursor && before.current.items === items
    before.current = { cursor, items }
    if (!isMoved || !rows) return
    const isAbove = rows.getItemOffset(cursor) < rows.scrollOffset
    rows.scrollToIndex(cursor, isAbove ? { align: 'start', offset: -headHeight() } : { align: 'nearest' })
  }, [list, cursor, items])
}
