import { useLingui } from '@lingui/react/macro'
import { type Section, titleRem } from '#web/features/files/views/sections.ts'
import styles from './section-title.module.css'

interface SectionTitleProps {
  section: Section
  /** The row of the grid, counted from 1. */
  row: number
}

/** The title of the folders or files section. It is a row, because a grid may contain only rows. */
export function SectionTitle({ section, row }: SectionTitleProps) {
  const { t } = useLingui()
  return (
    <div
      role="row"
      aria-rowindex={row}
      className={styles.title}
      data-part="section"
      style={{ blockSize: `${titleRem}rem` }}
    >
      <span role="rowheader">{section === 'folders' ? t`Folders` : t`Files`}</span>
    </div>
  )
}
