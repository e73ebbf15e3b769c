import { useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { origin } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { columnsSlot, sortSlot } from '#web/features/files/state/menu-slot.ts'
import type { Column } from '#web/features/files/views/columns.ts'
import { isAscending } from '#web/features/files/views/sort-order.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
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
  const labels = { name: t`Name`, size: t`Size`, kind: t`Kind`, modified: t`Last modified` }
  // Cards have no columns. All orders stay available there.
  const shown: readonly Column[] = isMosaic ? ['size', 'modified'] : columns
  const { Menu } = columnsSlot
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={styles.head}
      data-mosaic={isMosaic || undefined}
      data-part="head"
    >
      {(['name', ...shown] as const).map((by) =>
        by === 'kind' ? (
          <div key={by} role="columnheader" className={styles.kind}>
            {labels.kind}
          </div>
        ) : (
          <Sorter key={by} by={by} label={labels[by]} />
        ),
      )}
      {Menu && !isMosaic && !origin.link && <Menu className={styles.columns} />}
    </div>
  )
}

interface SorterProps {
  by: 'name' | 'size' | 'modified'
  label: string
}

/** The header of a column by which the list can be sorted. */
function Sorter({ by, label }: SorterProps) {
  const { i18n } = useLingui()
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
      <button
        type="button"
        onClick={() =>
          sortSlot.sort(by).catch((error) => showToast('error', i18n._(problemText(codeOf(error)))))
        }
      >
        <span>{label}</span>
        {isActive && <Arrow size={14} strokeWidth={2.2} aria-hidden />}
      </button>
    </div>
  )
}
