import { Trans, useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'

interface Question {
  name: string
}

/** Asks whether to save or discard unsaved changes. */
export function UnsavedChangesDialog({ question, close }: AskProps<Question, 'save' | 'discard'>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Save your changes?`} onClose={close}>
      <DialogText>
        <Trans>
          You have changed “<bdi>{shownName(question.name)}</bdi>”. If you leave without saving, your changes
          will be lost.
        </Trans>
      </DialogText>
      <DialogButtons>
        <Button variant="danger" label={t`Discard`} onClick={() => close('discard')} />
        <Button label={t`Keep editing`} onClick={() => close()} />
        <Button variant="main" label={t`Save`} onClick={() => close('save')} autoFocus />
      </DialogButtons>
    </Dialog>
  )
}
