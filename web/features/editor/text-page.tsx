import { useLingui } from '@lingui/react/macro'
import type { FileView } from '#contract/resources.ts'
import styles from './text-page.module.css'

interface TextPageProps {
  file: FileView
}

/** A text file, to read. */
export function TextPage({ file }: TextPageProps) {
  const { t } = useLingui()
  const content = file.content ?? ''
  return (
    <pre
      className={styles.text}
      role="document"
      aria-label={file.name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      dir="auto"
      data-part="text"
    >
      {content || <em className={styles.empty}>{t`This file is empty.`}</em>}
    </pre>
  )
}
