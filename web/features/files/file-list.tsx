import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Item } from '#contract/resources.ts'
import { session } from '#web/app/session.ts'
import { overlays } from '#web/overlays/ask.ts'
import { clipboard } from './clipboard-state.ts'
import styles from './file-list.module.css'
import { FileRow, itemId } from './file-row.tsx'
import { files, isFolderShown, offsets } from './files-state.ts'
import * as behaviour from './list-behaviour.ts'
import { ListHead } from './list-head.tsx'
import { afterRelease } from './mouse-release.ts'
import { selection } from './selection.ts'

interface FileListProps {
  folder: string
  items: readonly Item[]
  /** Lines with several items each; absent, every item is a line. */
  mosaic?: { columns: number; lines: readonly ReactNode[]; lineOf(index: number): number }
}

/**
 * The grid of a folder's items. It alone has the focus and names the current item (aria-activedescendant), so that
 * scrolling never loses the keyboard, and only what is in sight is in the document.
 */
export function FileList({ folder, items, mosaic }: FileListProps) {
  const { t } = useLingui()
  const { names, cursor } = useSnapshot(selection)
  const { cut } = useSnapshot(clipboard)
  const absolute = useSnapshot(session).user?.dateFormat ?? false
  const grid = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const line = mosaic?.lineOf(cursor) ?? cursor
  const isCovered = useSnapshot(files).file !== undefined
  useRememberedOffset(grid, folder)
  useFocus(grid, folder, isCovered)
  useLostKeys(grid)
  useCursorInSight(list, folder, line, items[cursor]?.name)
  const layout = () => ({
    count: items.length,
    columns: mosaic?.columns ?? 1,
    page: Math.max(
      1,
      Math.floor((list.current?.viewportSize ?? 0) / (list.current?.getItemSize(0) || 44)) - 1,
    ),
    rtl: document.documentElement.dir === 'rtl',
  })
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={t`Files`}
      aria-multiselectable
      aria-rowcount={mosaic ? mosaic.lines.length : items.length + 1}
      aria-activedescendant={items.length > 0 ? itemId(cursor) : undefined}
      tabIndex={0}
      className={styles.list}
      data-choosing={names.size > 0 || undefined}
      data-part="list"
      onClick={(event) => (isFolderShown() ? behaviour.onClick(event, items) : event.preventDefault())}
      onDoubleClick={(event) => isFolderShown() && behaviour.onDoubleClick(event, items)}
      onAuxClick={(event) => behaviour.onAuxClick(event, items)}
      onContextMenu={(event) => behaviour.onContextMenu(event, items)}
      onFocus={(event) => takeFocus(event, grid.current)}
      onKeyDown={(event) => isFolderShown() && behaviour.onKeyDown(event, items, layout())}
      onMouseDown={(event) => keepFocus(event, grid.current)}
      onPointerDown={(event) => behaviour.onPointerDown(event, items)}
      onPointerMove={behaviour.onPointerMove}
      onPointerUp={behaviour.endPress}
      onPointerCancel={behaviour.endPress}
    >
      {!mosaic && <ListHead />}
      <Virtualizer
        ref={list}
        data={(mosaic?.lines ?? items) as readonly unknown[]}
        startMargin={mosaic ? 0 : 36}
        itemSize={44}
        bufferSize={400}
        keepMounted={line >= 0 && line < (mosaic?.lines ?? items).length ? [line] : []}
      >
        {(entry, index) =>
          mosaic ? (
            <div key={index}>{entry as ReactNode}</div>
          ) : (
            <FileRow
              key={(entry as Item).name}
              item={entry as Item}
              index={index}
              isSelected={names.has((entry as Item).name)}
              isCurrent={cursor === index}
              isCut={cut.has((entry as Item).path)}
              absolute={absolute}
            />
          )
        }
      </Virtualizer>
    </div>
  )
}

/** A press on a row would give the focus to its link; the grid keeps it, and the keys with it. */
function keepFocus(event: React.MouseEvent, grid: HTMLElement | null): void {
  if (event.target instanceof Element && event.target.closest('button')) return
  // The scroll bar is part of the grid and must stay usable; an item must be free to be dragged.
  const isItem = event.target instanceof Element && event.target.closest('[data-index]')
  if (event.target !== grid && !isItem) event.preventDefault()
  grid?.focus({ preventScroll: true })
}

/** A pressed link has the focus for a moment: whoever takes it away at once ends the drag that begins there. */
function takeFocus({ target }: React.FocusEvent, grid: HTMLElement | null): void {
  if (target !== grid && !target.closest('button')) setTimeout(() => grid?.focus({ preventScroll: true }))
}

/** Coming back to a folder one sees the place one left. */
function useRememberedOffset(grid: React.RefObject<HTMLElement | null>, folder: string): void {
  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return
    element.scrollTop = offsets.get(folder) ?? 0
    const note = () => offsets.set(folder, element.scrollTop)
    element.addEventListener('scroll', note, { passive: true })
    return () => element.removeEventListener('scroll', note)
  }, [grid, folder])
}

/** Where nothing else wants the focus, after a change of folder or when an open file is closed, the keys work at once. */
function useFocus(grid: React.RefObject<HTMLElement | null>, folder: string, isCovered: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of folder takes the focus, too.
  useEffect(() => {
    const { activeElement, body } = document
    if (!isCovered && (!activeElement || activeElement === body)) grid.current?.focus({ preventScroll: true })
  }, [grid, folder, isCovered])
}

/** A key pressed while nothing has the focus, as after a button that went with the selection, is the list's. */
function useLostKeys(grid: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const pass = (event: globalThis.KeyboardEvent) => {
      const isLost = event.target === document.body && event.key !== 'Tab'
      if (!isLost || !grid.current || !isFolderShown() || overlays.open.length > 0) return
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
  const known = useRef({ folder, name })
  useEffect(() => {
    const isNew = known.current.folder !== folder
    // Coming back, one sees the place one left; what is marked there must be in sight.
    const moved = isNew ? selection.names.size > 0 : known.current.name !== name
    known.current = { folder, name }
    if (moved && line >= 0) afterRelease(() => list.current?.scrollToIndex(line, { align: 'nearest' }))
  }, [list, folder, line, name])
}
