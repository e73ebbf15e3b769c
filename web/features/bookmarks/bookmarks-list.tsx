import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import type { Bookmark } from '#contract/history/bookmarks.ts'
import { keyOf } from '#web/actions/registry.ts'
import { isStarred } from '#web/shared/marks/stars.ts'
import { session } from '#web/shared/session.ts'
import { firstDayOfWeek } from '#web/ui/format/calendar.ts'
import { isFocusFree } from '#web/ui/layers/lost-focus.ts'
import { bookmarkKeys, bookmarkRowId } from './bookmark-actions.ts'
import { BookmarkRow } from './bookmark-row.tsx'
import { bookmarkRows } from './bookmark-selection.ts'
import styles from './bookmarks.module.css'
import { type BookmarkKind, bookmarks } from './bookmarks-state.ts'
import { type Period, periodOf } from './days.ts'
import { setStars } from './star-state.ts'

interface BookmarksListProps {
  kind: BookmarkKind
  title: string
}

/** The grid of the entries; recent ones in parts, each below its title. Only the grid has the focus. */
export function BookmarksList({ kind, title }: BookmarksListProps) {
  const { i18n } = useLingui()
  const titles = usePeriodTitles()
  // A snapshot has the same entries. Nothing below changes them.
  const items = useSnapshot(bookmarks).items as readonly Bookmark[]
  const { ids, cursor } = useSnapshot(bookmarkRows.state)
  const { dateFormat: absolute = false, firstDay } = useSnapshot(session).user ?? {}
  const grid = useRef<HTMLDivElement>(null)
  // At first, and when the button with the focus has disappeared with the selection.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after every change of the list and the selection.
  useEffect(() => {
    if (isFocusFree()) grid.current?.focus({ preventScroll: true })
  }, [ids, items])
  useEffect(() => {
    document.getElementById(bookmarkRowId(cursor))?.scrollIntoView({ block: 'nearest' })
  }, [cursor])
  const weekStart = firstDayOfWeek(firstDay, i18n.locale)
  const lines: ReactNode[] = []
  let before: Period | undefined
  for (const [index, item] of items.entries()) {
    const period = kind === 'recent' ? periodOf(Date.parse(item.time), Date.now(), weekStart) : undefined
    if (period && period !== before)
      lines.push(<PeriodTitle key={period} text={titles[period]} row={lines.length + 1} />)
    before = period
    lines.push(
      <BookmarkRow
        key={item.path}
        item={item}
        index={index}
        row={lines.length + 1}
        isSelected={ids.has(item.path)}
        isCurrent={cursor === index}
        time={kind === 'recent' ? item.time : item.modified}
        absolute={absolute}
      />,
    )
  }
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={title}
      aria-multiselectable
      aria-rowcount={lines.length}
      aria-activedescendant={bookmarkRowId(cursor)}
      tabIndex={0}
      className={styles.list}
      data-choosing={ids.size > 0 || undefined}
      data-part="list"
      onClick={(event) => {
        if (isOwn(event)) return
        // The name is a link only for the menu and the middle button of the browser.
        event.preventDefault()
        bookmarkKeys.onClick(event, items)
      }}
      onDoubleClick={(event) => isOwn(event) || bookmarkKeys.onDoubleClick(event, items)}
      onContextMenu={(event) => bookmarkKeys.onContextMenu(event, items)}
      onKeyDown={(event) => onKeyDown(event, items)}
      onMouseDown={(event) => keepFocus(event, grid.current)}
      onPointerDown={bookmarkKeys.onPointerDown}
    >
      {lines}
    </div>
  )
}

function PeriodTitle({ text, row }: { text: string; row: number }) {
  return (
    <div role="row" aria-rowindex={row} className={styles.period}>
      <div role="rowheader">{text}</div>
    </div>
  )
}

/** Whether an event belongs to a control in a row. */
function isOwn({ target }: { target: EventTarget }): boolean {
  return target instanceof Element && target.closest('[data-own]') !== null
}

/** Keeps the focus on the grid, so that its keys work. A press on a row would focus the link in it. */
function keepFocus(event: MouseEvent, grid: HTMLElement | null): void {
  if (event.button !== 0 || isOwn(event) || event.target === grid) return
  event.preventDefault()
  grid?.focus({ preventScroll: true })
}

function onKeyDown(event: KeyboardEvent, items: readonly Bookmark[]): void {
  // A control in a row, on which the user has clicked, handles these keys.
  if (isOwn(event) && (event.key === 'Enter' || event.key === ' ')) return
  if (keyOf(event.nativeEvent) !== 'Mod+Shift+s') {
    bookmarkKeys.onKeyDown(event, items, { count: items.length, columns: 1, page: 10, isRightToLeft: false })
    return
  }
  const selected = bookmarkRows.selectedIn(items)
  const current = items[bookmarkRows.state.cursor]
  const chosen = (selected.length > 0 ? selected : current ? [current] : []).map(({ path }) => path)
  void setStars(chosen, !chosen.every(isStarred))
  event.preventDefault()
  event.stopPropagation()
}

function usePeriodTitles(): Record<Period, string> {
  const { t } = useLingui()
  return {
    today: t`Today`,
    yesterday: t`Yesterday`,
    week: t`This week`,
    lastWeek: t`Last week`,
    earlier: t`Earlier`,
  }
}
