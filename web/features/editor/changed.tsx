import { Trans, useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'

interface Question {
  name: string
  /** The user may create another file in this folder. */
  mayCreate: boolean
}

/** Asks what to do with a text file that someone else changed or deleted after it was opened. */
export function TextConflictDialog({
  question,
  close,
}: AskProps<Question, 'reload' | 'overwrite' | 'save-as'>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Someone else has changed this file`} onClose={close}>
      <DialogText>
        <Trans>
          “<bdi>{shownName(question.name)}</bdi>” was changed or deleted after you opened it. Nothing has been
          saved yet.
        </Trans>
      </DialogText>
      <DialogButtons>
        <Button variant="danger" label={t`Overwrite`} onClick={() => close('overwrite')} />
        <Button label={t`Reload`} onClick={() => close('reload')} autoFocus={!question.mayCreate} />
        {question.mayCreate && (
          <Button variant="main" label={t`Save as…`} onClick={() => close('save-as')} autoFocus />
        )}
      </DialogButtons>
    </Dialog>
  )
}
