import { useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useSnapshot } from 'valtio'
import styles from './trash-head.module.css'
import type { TrashColumn } from './trash-order.ts'
import { sortTrash, trash } from './trash-state.ts'

/** The column headers. A press sorts by a column, a second press reverses the order. */
export function TrashHead() {
  const { t } = useLingui()
  const { by, isAscending } = useSnapshot(trash).order
  const heads: [column: TrashColumn, label: string][] = [
    ['name', t`Name`],
    ['place', t`Original location`],
    ['deleted', t({ message: 'Deleted', context: 'time of deletion' })],
    ['by', t`Deleted by`],
    ['size', t`Size`],
  ]
  const Arrow = isAscending ? ArrowUp : ArrowDown
  return (
    <div role="row" aria-rowindex={1} className={styles.head} data-part="head">
      {heads.map(([column, label]) => (
        <div
          key={column}
          role="columnheader"
          aria-sort={by !== column ? 'none' : isAscending ? 'ascending' : 'descending'}
          className={styles[column]}
        >
          <button type="button" onClick={() => void sortTrash(column)}>
            <span>{label}</span>
            {by === column && <Arrow size={14} strokeWidth={2.2} aria-hidden />}
          </button>
        </div>
      ))}
    </div>
  )
}
