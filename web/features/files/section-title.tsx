import { useLingui } from '@lingui/react/macro'
import styles from './section-title.module.css'
import { type Section, titleRem } from './sections.ts'

interface SectionTitleProps {
  section: Section
}

/** The title of a section of a folder: its folders, or its files. */
export function SectionTitle({ section }: SectionTitleProps) {
  const { t } = useLingui()
  return (
    <h2
      className={styles.title}
      role="presentation"
      data-part="section"
      style={{ blockSize: `${titleRem}rem` }}
    >
      {section === 'folders' ? t`Folders` : t`Files`}
    </h2>
  )
}
