import { useLingui } from '@lingui/react/macro'
import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { useSnapshot } from 'valtio'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Item } from '#contract/resources.ts'
import { origin } from '#web/api/origin.ts'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { files, isFolderShown } from '#web/features/files/state/files-state.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { columnsOf, formatsOf, gridOf } from '#web/features/files/views/columns.ts'
import {
  type Expected,
  firstFileOf,
  lineOf,
  linesOf,
  missingLinesOf,
  type Section,
} from '#web/features/files/views/sections.ts'
import { overlays } from '#web/overlays/ask.ts'
import { headHeight } from '#web/shared/lists/head-height.ts'
import { scrollOffsets } from '#web/shared/lists/last-positions.ts'
import type { Layout } from '#web/shared/lists/list-keys.ts'
import { useFreeFocus } from '#web/shared/lists/use-free-focus.ts'
import { printedPx, usePrinting } from '#web/shared/lists/use-printing.ts'
import { badges } from '#web/shared/marks/badges.ts'
import { renaming } from '#web/shared/names/rename-state.ts'
import { session } from '#web/shared/session.ts'
import styles from './file-list.module.css'
import { FileRow, itemId } from './file-row.tsx'
import * as behaviour from './list-behaviour.ts'
import { ListHead } from './list-head.tsx'
import { afterRelease } from './mouse-release.ts'
import { SectionTitle } from './section-title.tsx'

interface FileListProps {
  folder: string
  items: readonly Item[]
  /** The numbers of items if only the first are there. The place of the others is kept free. */
  expected?: Expected | undefined
  /** Lines of several items each; undefined: one item per line. */
  mosaic?: {
    columns: number
    list: RefObject<VirtualizerHandle | null>
    /** One entry per line. */
    lines: readonly unknown[]
    renderLine(number: number): ReactNode
    lineOf(index: number): number
    toLine: Layout['toLine']
  }
}

/**
 * The grid of a folder's items. Only the grid has the focus; it names the current item (aria-activedescendant). So
 * scrolling never loses the focus, and only visible lines are in the document.
 */
export function FileList({ folder, items, expected, mosaic }: FileListProps) {
  const { t } = useLingui()
  const { names, cursor } = useSnapshot(selection)
  const { cut } = useSnapshot(clipboard)
  const { folder: marked, byName } = useSnapshot(badges)
  const { path: renamed } = useSnapshot(renaming)
  const { user } = useSnapshot(session)
  const absolute = user?.dateFormat ?? false
  const columns = columnsOf(user, useSnapshot(files).folder?.view)
  const grid = useRef<HTMLDivElement>(null)
  const ownList = useRef<VirtualizerHandle>(null)
  const list = mosaic?.list ?? ownList
  const lines = useMemo(() => mosaic?.lines ?? allLinesOf(items, expected), [mosaic, items, expected])
  const firstFile = useMemo(() => firstFileOf(items), [items])
  const line = mosaic?.lineOf(cursor) ?? lineOf(cursor, firstFile)
  const isCovered = useSnapshot(files).file !== undefined
  const isPrinting = usePrinting()
  useRememberedOffset(grid, folder)
  useFreeFocus(grid, folder, isCovered)
  useUnfocusedKeys(grid)
  useCursorInSight(list, folder, line, items[cursor]?.name)
  const layout = () => ({
    count: items.length,
    columns: mosaic?.columns ?? 1,
    page: Math.max(
      1,
      Math.floor((list.current?.viewportSize ?? 0) / (list.current?.getItemSize(line) || 44)) - 1,
    ),
    isRightToLeft: document.documentElement.dir === 'rtl',
    toLine: mosaic?.toLine,
  })
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={t`Files`}
      aria-multiselectable
      aria-rowcount={lines.length + 1}
      aria-activedescendant={items.length > 0 ? itemId(cursor) : undefined}
      tabIndex={0}
      className={styles.list}
      data-choosing={names.size > 0 || undefined}
      data-part="list"
      style={{ '--columns': gridOf(columns) } as CSSProperties}
      onClick={(event) => (isFolderShown() ? behaviour.onClick(event, items) : event.preventDefault())}
      onDoubleClick={(event) => isFolderShown() && behaviour.onDoubleClick(event, items)}
      onAuxClick={(event) => behaviour.onAuxClick(event, items)}
      onContextMenu={(event) => behaviour.onContextMenu(event, items)}
      onFocus={(event) => takeFocus(event, grid.current)}
      onKeyDown={(event) =>
        isFolderShown() && behaviour.onKeyDown(event, items, layout(), expected !== undefined)
      }
      onMouseDown={(event) => keepFocus(event, grid.current)}
      onPointerDown={(event) => behaviour.onPointerDown(event, items)}
      onPointerMove={behaviour.onPointerMove}
      onPointerUp={behaviour.endLongPress}
      onPointerCancel={behaviour.endLongPress}
    >
      <ListHead isMosaic={mosaic !== undefined} columns={columns} />
      <Virtualizer
        ref={list}
        data={lines as readonly unknown[]}
        startMargin={headHeight()}
        itemSize={44}
        bufferSize={isPrinting ? printedPx : 400}
        keepMounted={line >= 0 && line < lines.length ? [line] : []}
      >
        {(entry, number) => {
          if (mosaic) return <div key={number}>{mosaic.renderLine(number)}</div>
          // The slash keeps the key distinct: no item name contains one.
          if (typeof entry === 'string')
            return <SectionTitle key={`/${entry}`} section={entry as Section} row={number + 2} />
          if (entry === undefined) return <div key={number} className={styles.free} />
          const index = entry as number
          const item = items[index] as Item
          return (
            <FileRow
              key={item.name}
              item={item}
              index={index}
              row={number + 2}
              isSelected={names.has(item.name)}
              isCurrent={cursor === index}
              isCut={!origin.link && cut.has(item.path)}
              absolute={absolute}
              formats={formatsOf(user)}
              columns={columns.join(' ')}
              badge={marked === folder ? byName.get(item.name) : undefined}
              isRenamed={renamed !== undefined && renamed === item.path}
            />
          )
        }}
      </Virtualizer>
    </div>
  )
}

function allLinesOf(items: readonly Item[], expected: Expected | undefined): readonly unknown[] {
  const lines: unknown[] = linesOf(items)
  return expected ? [...lines, ...new Array(missingLinesOf(items, expected))] : lines
}

/** Keeps the focus on the grid, so that its keys work. A press on a row would focus the link in the row. */
function keepFocus(event: React.MouseEvent, grid: HTMLElement | null): void {
  if (event.target instanceof Element && event.target.closest('button')) return
  // The scroll bar belongs to the grid and must stay usable. An item must stay draggable.
  const isItem = event.target instanceof Element && event.target.closest('[data-index]')
  if (event.target !== grid && !isItem) event.preventDefault()
  grid?.focus({ preventScroll: true })
}

/** Moves the focus from a pressed link to the grid in the next task. Moving it at once would end a drag of the link. */
function takeFocus({ target }: React.FocusEvent, grid: HTMLElement | null): void {
  if (target !== grid && !target.closest('button')) setTimeout(() => grid?.focus({ preventScroll: true }))
}

/** Restores the scroll position of a folder. */
function useRememberedOffset(grid: React.RefObject<HTMLElement | null>, folder: string): void {
  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return
    element.scrollTop = scrollOffsets.get(folder) ?? 0
    const saveOffset = () => scrollOffsets.set(folder, element.scrollTop)
    element.addEventListener('scroll', saveOffset, { passive: true })
    return () => element.removeEventListener('scroll', saveOffset)
  }, [grid, folder])
}

/** Passes keys to the list while nothing has the focus, for example after a button disappears with the selection. */
function useUnfocusedKeys(grid: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const pass = (event: globalThis.KeyboardEvent) => {
      const isUnfocused = event.target === document.body && event.key !== 'Tab'
      if (!isUnfocused || !grid.current || !isFolderShown() || overlays.open.length > 0) return
      event.stopImmediatePropagation()
      grid.current.focus({ preventScroll: true })
      if (!grid.current.dispatchEvent(new KeyboardEvent(event.type, event))) event.preventDefault()
    }
    addEventListener('keydown', pass, true)
    return () => removeEventListener('keydown', pass, true)
  }, [grid])
}

function useCursorInSight(
  list: React.RefObject<VirtualizerHandle | null>,
  folder: string,
  line: number,
  name: string | undefined,
): void {
  const previous = useRef({ folder, name })
  useEffect(() => {
    const isNew = previous.current.folder !== folder
    // A restored folder keeps its scroll position, unless it has selected items: those must be visible.
    const moved = isNew ? selection.names.size > 0 : previous.current.name !== name
    previous.current = { folder, name }
    if (moved && line >= 0) afterRelease(() => bringIntoSight(list.current, line))
  }, [list, folder, line, name])
}

/**
 * Scrolls the least distance that shows a line between the column headers and the lower edge. For the first line, shows
 * its section title, too.
 */
function bringIntoSight(list: VirtualizerHandle | null, line: number): void {
  if (!list) return
  const target = line === 1 ? 0 : line
  const isAbove = list.getItemOffset(target) < list.scrollOffset
  list.scrollToIndex(target, isAbove ? { align: 'start', offset: -headHeight() } : { align: 'nearest' })
}
