import { useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { files } from '#web/features/files/state/files-state.ts'
import { listParts, withActionParts } from '#web/features/files/state/list-parts.ts'
import type { Order } from '#web/features/files/state/order.ts'
import type { Column } from '#web/features/files/views/columns.ts'
import { isAscending } from '#web/features/files/views/sort-order.ts'
import styles from './list-head.module.css'

interface ListHeadProps {
  /** The items are cards: the headers are side by side instead of above columns. */
  isMosaic: boolean
  /** The columns besides the name. */
  columns: readonly Column[]
}

/** The column headers. A press sorts by a column, a second press reverses the order. */
export function ListHead({ isMosaic, columns }: ListHeadProps) {
  const { t } = useLingui()
  // Cards have no columns. The orders stay available there.
  const has = (column: Column) => isMosaic || columns.includes(column)
  const { metadata } = useSnapshot(listParts)
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={styles.head}
      data-mosaic={isMosaic || undefined}
      data-part="head"
    >
      <Sorter by="name" label={t`Name`} />
      {has('size') && <Sorter by="size" label={t`Size`} />}
      {metadata && <metadata.Heads columns={columns} isMosaic={isMosaic} />}
      {has('modified') && <Sorter by="modified" label={t`Last modified`} />}
      {metadata && <metadata.Menu isMosaic={isMosaic} />}
    </div>
  )
}

interface SorterProps {
  by: Order['by']
  label: string
}

/** The header of a column by which the list can be sorted. */
export function Sorter({ by, label }: SorterProps) {
  const shown = useSnapshot(files)
  const sorting = shown.sorting ?? shown.folder?.sorting
  const isActive = sorting?.by === by
  const up = isActive && isAscending(sorting)
  const Arrow = up ? ArrowUp : ArrowDown
  return (
    <div
      role="columnheader"
      aria-sort={isActive ? (up ? 'ascending' : 'descending') : 'none'}
      className={styles[by]}
    >
      <button type="button" onClick={() => withActionParts(({ sortBy }) => sortBy(by))}>
        <span>{label}</span>
        {isActive && <Arrow size={14} strokeWidth={2.2} aria-hidden />}
      </button>
    </div>
  )
}
