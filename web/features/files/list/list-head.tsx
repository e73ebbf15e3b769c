import { useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { sortSlot } from '#web/features/files/state/menu-slot.ts'
import { isAscending } from '#web/features/files/state/sort-order.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import styles from './list-head.module.css'

interface ListHeadProps {
  /** The items are cards: the headers are side by side instead of above columns. */
  isMosaic: boolean
}

/** The column headers. A press sorts by a column, a second press reverses the order. */
export function ListHead({ isMosaic }: ListHeadProps) {
  const { t, i18n } = useLingui()
  const shown = useSnapshot(files)
  const sorting = shown.sorting ?? shown.folder?.sorting
  const columns = [
    ['name', t`Name`],
    ['size', t`Size`],
    ['modified', t`Last modified`],
  ] as const
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={styles.head}
      data-mosaic={isMosaic || undefined}
      data-part="head"
    >
      {columns.map(([by, label]) => {
        const isActive = sorting?.by === by
        const up = isActive && isAscending(sorting)
        const Arrow = up ? ArrowUp : ArrowDown
        return (
          <div
            key={by}
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
      })}
    </div>
  )
}
