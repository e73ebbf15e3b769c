import { Trans } from '@lingui/react/macro'
import { fileExtension } from '#web/shared/names/name-rule.ts'
import styles from './prompts.module.css'

interface EndingNoteProps {
  before: string
  after: string
}

/** Warns that the file extension changes, because programs depend on it. */
export function EndingNote({ before, after }: EndingNoteProps) {
  const [from, to] = [fileExtension(before), fileExtension(after)]
  if (!from || from === to) return null
  return (
    <p role="status" className={styles.note}>
      {to ? (
        <Trans>
          The extension will change from <bdi>{from}</bdi> to <bdi>{to}</bdi>.
        </Trans>
      ) : (
        <Trans>
          The extension <bdi>{from}</bdi> will be removed.
        </Trans>
      )}
    </p>
  )
}
