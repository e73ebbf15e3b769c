import { useLingui } from '@lingui/react/macro'
import { type Section, titleRem } from '#web/features/files/state/sections.ts'
import styles from './section-title.module.css'

interface SectionTitleProps {
  section: Section
  /** Its row of the grid; the first is 1. */
  row: number
}

/** The title of a section of a folder: its folders, or its files. A row of the grid, because a grid holds nothing else. */
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
