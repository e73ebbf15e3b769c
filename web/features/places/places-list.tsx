import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import type { PlaceItem } from '#contract/history/places.ts'
import { keyOf } from '#web/actions/registry.ts'
import { isStarred } from '#web/shared/marks/stars.ts'
import { session } from '#web/shared/session.ts'
import { firstDayOfWeek } from '#web/ui/format/calendar.ts'
import { isFocusFree } from '#web/ui/layers/lost-focus.ts'
import { type Period, periodOf } from './days.ts'
import { placeKeys, placeRowId } from './place-actions.ts'
import { PlaceRow } from './place-row.tsx'
import { placeRows } from './place-selection.ts'
import styles from './places.module.css'
import { type PlaceKind, places } from './places-state.ts'
import { setStars } from './star-state.ts'

interface PlacesListProps {
  kind: PlaceKind
  title: string
}

/** The grid of the entries; recent ones in parts, each below its title. Only the grid has the focus. */
export function PlacesList({ kind, title }: PlacesListProps) {
  const { i18n } = useLingui()
  const titles = usePeriodTitles()
  // A snapshot has the same entries. Nothing below changes them.
  const items = useSnapshot(places).items as readonly PlaceItem[]
  const { ids, cursor } = useSnapshot(placeRows.state)
  const { dateFormat: absolute = false, firstDay } = useSnapshot(session).user ?? {}
  const grid = useRef<HTMLDivElement>(null)
  // At first, and when the button with the focus has disappeared with the selection.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after every change of the list and the selection.
  useEffect(() => {
    if (isFocusFree()) grid.current?.focus({ preventScroll: true })
  }, [ids, items])
  useEffect(() => {
    document.getElementById(placeRowId(cursor))?.scrollIntoView({ block: 'nearest' })
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
      <PlaceRow
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
      aria-activedescendant={placeRowId(cursor)}
      tabIndex={0}
      className={styles.list}
      data-choosing={ids.size > 0 || undefined}
      data-part="list"
      onClick={(event) => {
        if (isOwn(event)) return
        // The name is a link only for the menu and the middle button of the browser.
        event.preventDefault()
        placeKeys.onClick(event, items)
      }}
      onDoubleClick={(event) => isOwn(event) || placeKeys.onDoubleClick(event, items)}
      onContextMenu={(event) => placeKeys.onContextMenu(event, items)}
      onKeyDown={(event) => onKeyDown(event, items)}
      onMouseDown={(event) => keepFocus(event, grid.current)}
      onPointerDown={placeKeys.onPointerDown}
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

function onKeyDown(event: KeyboardEvent, items: readonly PlaceItem[]): void {
  // A control in a row, on which the user has clicked, handles these keys.
  if (isOwn(event) && (event.key === 'Enter' || event.key === ' ')) return
  if (keyOf(event.nativeEvent) !== 'Mod+Shift+s') {
    placeKeys.onKeyDown(event, items, { count: items.length, columns: 1, page: 10, isRightToLeft: false })
    return
  }
  const selected = placeRows.selectedIn(items)
  const current = items[placeRows.state.cursor]
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
