import { useLingui } from '@lingui/react/macro'
import styles from '#web/features/files/list/list-head.module.css'
import { Sorter } from '#web/features/files/list/list-head.tsx'
import { type Column, mayReadMetadata } from '#web/features/files/views/columns.ts'

interface HeadsProps {
  /** The shown columns. */
  columns: readonly Column[]
  isMosaic: boolean
}

/** The headers of the columns between the size and the last change. Above cards, only the date taken. */
export function MoreHeads({ columns, isMosaic }: HeadsProps) {
  const { t } = useLingui()
  const has = (column: Column) => !isMosaic && columns.includes(column)
  return (
    <>
      {has('kind') && (
        <div role="columnheader" className={styles.kind}>
          {t`Kind`}
        </div>
      )}
      {(has('taken') || (isMosaic && mayReadMetadata())) && <Sorter by="taken" label={t`Date taken`} />}
      {has('dimensions') && <Sorter by="dimensions" label={t`Dimensions`} />}
      {has('owner') && <Sorter by="owner" label={t`Owner`} />}
    </>
  )
}
