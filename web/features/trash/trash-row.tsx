import { i18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import { memo } from 'react'
import type { TrashItem } from '#contract/history/kept.ts'
import { folderText } from '#web/shared/paths.ts'
import rows from '#web/shared/rows/row.module.css'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { Time } from '#web/ui/format/time.tsx'
import { Name } from '#web/ui/name.tsx'
import styles from './trash-row.module.css'

/** The element id for `aria-activedescendant`. */
export const trashRowId = (index: number) => `trash-${index}`

interface TrashRowProps {
  item: TrashItem
  index: number
  isSelected: boolean
  /** The cursor is on this entry. */
  isCurrent: boolean
  /** Shows dates instead of relative times. */
  absolute: boolean
}

/** One row of the trash. The list handles its events. */
export const TrashRow = memo(function TrashRow(props: TrashRowProps) {
  const { item, index, isSelected, isCurrent, absolute } = props
  const { name, path, isDir, type, size, deleted, by } = item
  const { t } = useLingui()
  const place = folderText(path)
  return (
    <div
      id={trashRowId(index)}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={`${rows.row} ${styles.row}`}
      data-index={index}
      data-current={isCurrent || undefined}
      data-part="row"
    >
      <div role="gridcell" className={`${rows.name} ${styles.name}`} data-full={name}>
        <span className={`${rows.check} ${styles.check}`} data-check aria-hidden="true">
          <Check size={14} strokeWidth={3} />
        </span>
        <FileIcon name={name} isDir={isDir} type={type} isSaid />
        <Name name={name} />
      </div>
      <div role="gridcell" className={styles.place} data-full={place}>
        <bdi>{shownName(place)}</bdi>
      </div>
      <div role="gridcell" className={styles.time}>
        <Time value={deleted} absolute={absolute} />
      </div>
      <div role="gridcell" className={styles.by} data-full={by}>
        <bdi>{by || t`a removed user`}</bdi>
      </div>
      <div role="gridcell" className={styles.size}>
        <TrashSize size={size} />
      </div>
    </div>
  )
})

interface TrashSizeProps {
  /** Bytes; null while the server counts them. */
  size: number | null
}

/** The size of an entry. */
export function TrashSize({ size }: TrashSizeProps) {
  const { t } = useLingui()
  if (size !== null) return formatSize(size, i18n.locale)
  return <span data-tip={t`The size is being counted`}>…</span>
}
