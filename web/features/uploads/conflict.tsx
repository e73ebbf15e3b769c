import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import styles from './conflict.module.css'
import type { Choice } from './conflicts.ts'

interface Question {
  name: string
}

interface Answer {
  choice: Choice
  /** Do the same for every further conflict of this upload. */
  all: boolean
}

/** Asks what to do with a file whose name is taken. */
export function Conflict({ question, close }: AskProps<Question, Answer>) {
  const { t } = useLingui()
  const [all, setAll] = useState(false)
  const answer = (choice: Choice) => () => close({ choice, all })
  return (
    <Dialog title={t`Replace the file?`} onClose={close}>
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
