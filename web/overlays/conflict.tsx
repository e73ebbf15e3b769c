import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import type { AskProps } from './ask.ts'
import styles from './conflict.module.css'

/** What to do with a thing whose name is taken. */
export type Choice = 'replace' | 'skip' | 'keep'

interface Question {
  name: string
  isDir?: boolean
}

interface Answer {
  choice: Choice
  /** Do the same for every further conflict of this upload, copy or move. */
  all: boolean
}

/** Asks what to do with a file whose name is taken. */
export function Conflict({ question, close }: AskProps<Question, Answer>) {
  const { t } = useLingui()
  const [all, setAll] = useState(false)
  const answer = (choice: Choice) => () => close({ choice, all })
  return (
    <Dialog title={question.isDir ? t`Replace the folder?` : t`Replace the file?`} onClose={close}>
      <p className={styles.text}>
        <Trans>
          “<bdi>{question.name}</bdi>” is already in this folder.
        </Trans>
      </p>
      <label className={styles.all}>
        <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />
        <span>{t`Do the same for all`}</span>
      </label>
      <DialogButtons>
        <Button label={t`Skip`} onClick={answer('skip')} autoFocus />
        <Button label={t`Keep both`} onClick={answer('keep')} />
        <Button look="danger" label={t`Replace`} onClick={answer('replace')} />
      </DialogButtons>
    </Dialog>
  )
}
