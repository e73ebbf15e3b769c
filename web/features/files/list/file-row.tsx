import { i18n } from '@lingui/core'
import { Check } from 'lucide-react'
import { memo } from 'react'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { origin } from '#web/api/origin.ts'
import { listParts } from '#web/features/files/state/list-parts.ts'
import type { Badge } from '#web/shared/marks/badges.ts'
import rows from '#web/shared/rows/row.module.css'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { Time } from '#web/ui/format/time.tsx'
import styles from './file-row.module.css'
import { ItemName } from './item-name.tsx'
import { NameBadge, NameShared, NameStar } from './name-badge.tsx'

export interface ItemProps {
  item: Item
  index: number
  /** The row of the grid, counted from 1. */
  row?: number
  isSelected: boolean
  /** The cursor is on this item. */
  isCurrent: boolean
  /** The item was cut and will move when it is pasted. */
  isCut: boolean
  /** Shows absolute dates instead of relative times. */
  absolute: boolean
  /** How sizes and dates are written (`formatsOf`). */
  formats: string
  badge: Badge | undefined
  /** The name is a text field. */
  isRenamed: boolean
}

interface RowProps extends ItemProps {
  /** The columns besides the name, separated by spaces: text, because a new list would draw every row again. */
  columns: string
}

/** An empty cell. Screen readers say nothing. */
export const none = <span aria-hidden="true">—</span>

/** The element id for `aria-activedescendant`. */
export const itemId = (index: number) => `item-${index}`

/** One row of the list. It has no handlers, because the list handles events for up to 50,000 rows. */
export const FileRow = memo(function FileRow(props: RowProps) {
  const { item, index, row, isSelected, isCurrent, isCut, absolute, badge, columns, isRenamed } = props
  const { name, isDir, type, size, modified, path } = item
  const { actions, metadata } = useSnapshot(listParts)
  return (
    <div
      id={itemId(index)}
      role="row"
      aria-rowindex={row}
      aria-selected={isSelected}
      className={`${rows.row} ${styles.row}`}
      data-index={index}
      data-current={isCurrent || undefined}
      data-cut={isCut || undefined}
      data-folder={isDir ? path : undefined}
      data-part="row"
    >
      <div role="gridcell" className={`${rows.name} ${styles.name}`}>
        <span className={`${rows.check} ${styles.check}`} data-check aria-hidden="true">
          <Check size={14} strokeWidth={3} />
        </span>
        <span className={styles.face} data-part="face">
          <FileIcon name={name} isDir={isDir} type={type} isSaid />
          {actions && type === 'image' && <actions.Picture item={item} />}
        </span>
        <ItemName item={item} isRenamed={isRenamed} />
        {badge && <NameBadge {...badge} />}
        {!origin.link && <NameStar path={item.path} />}
        {!origin.link && <NameShared path={item.path} />}
      </div>
      {columns.includes('size') && (
        <div role="gridcell" className={styles.size} data-none={isDir || undefined}>
          {isDir ? none : formatSize(size, i18n.locale)}
        </div>
      )}
      {metadata && <metadata.Cells item={item} columns={columns} />}
      {columns.includes('modified') && (
        <div role="gridcell" className={styles.time}>
          <Time value={modified} absolute={absolute} />
        </div>
      )}
    </div>
  )
})
