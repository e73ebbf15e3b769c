import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import styles from './prompts.module.css'

interface Question {
  names: readonly string[]
  hasFolders: boolean
}

/** Asks before anything is deleted, because nothing brings it back. */
export function Remove({ question: { names, hasFolders }, close }: AskProps<Question, true>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Delete?`} onClose={close}>
      <div className={styles.text}>
        <p>
          {names.length === 1 ? (
            <Trans>
              “<bdi>{names[0]}</bdi>” will be deleted.
            </Trans>
          ) : (
            <Plural value={names.length} one="# item will be deleted." other="# items will be deleted." />
          )}
        </p>
        <p>
          {hasFolders
            ? t`Folders go with all that is in them. This cannot be undone.`
            : t`This cannot be undone.`}
        </p>
      </div>
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} />
        <Button look="danger" label={t`Delete`} onClick={() => close(true)} autoFocus />
      </DialogButtons>
    </Dialog>
  )
}
