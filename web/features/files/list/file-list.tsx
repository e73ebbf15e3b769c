import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Item } from '#contract/resources.ts'
import { origin } from '#web/api/origin.ts'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { files, isFolderShown, offsets } from '#web/features/files/state/files-state.ts'
import { firstFileOf, lineOf, linesOf, type Section } from '#web/features/files/state/sections.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { overlays } from '#web/overlays/ask.ts'
import { session } from '#web/shared/session.ts'
import styles from './file-list.module.css'
import { FileRow, itemId } from './file-row.tsx'
import * as behaviour from './list-behaviour.ts'
import { ListHead } from './list-head.tsx'
import { afterRelease } from './mouse-release.ts'
import { SectionTitle } from './section-title.tsx'

/** The names of the columns stay above the lines, in pixels. */
const headHeight = 36

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
  const lines = useMemo(() => mosaic?.lines ?? linesOf(items), [mosaic, items])
  const firstFile = useMemo(() => firstFileOf(items), [items])
  const line = mosaic?.lineOf(cursor) ?? lineOf(cursor, firstFile)
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
      Math.floor((list.current?.viewportSize ?? 0) / (list.current?.getItemSize(line) || 44)) - 1,
    ),
    rtl: document.documentElement.dir === 'rtl',
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
      <ListHead isMosaic={mosaic !== undefined} />
      <Virtualizer
        ref={list}
        data={lines as readonly unknown[]}
        startMargin={headHeight}
        itemSize={44}
        bufferSize={400}
        keepMounted={line >= 0 && line < lines.length ? [line] : []}
      >
        {(entry, number) => {
          if (mosaic) return <div key={number}>{entry as ReactNode}</div>
          // No item has a name with a slash in it.
          if (typeof entry === 'string')
            return <SectionTitle key={`/${entry}`} section={entry as Section} row={number + 2} />
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
            />
          )
        }}
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
    if (moved && line >= 0) afterRelease(() => bringIntoSight(list.current, line))
  }, [list, folder, line, name])
}

/** Scrolls as little as brings a line between the names of the columns and the lower edge; with the first line, its title. */
function bringIntoSight(list: VirtualizerHandle | null, line: number): void {
  if (!list) return
  const wanted = line === 1 ? 0 : line
  const isAbove = list.getItemOffset(wanted) < list.scrollOffset
  list.scrollToIndex(wanted, isAbove ? { align: 'start', offset: -headHeight } : { align: 'nearest' })
}
