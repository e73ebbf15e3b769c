import { Trans, useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'

interface Question {
  username: string
}

/** Asks for confirmation before a user is deleted. */
export function DeleteUserDialog({ question, close }: AskProps<Question, boolean>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Delete user`} onClose={close}>
      <DialogText>
        <Trans>
          Delete user <bdi>{question.username}</bdi>? Their files will be kept.
        </Trans>
      </DialogText>
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button variant="danger" label={t`Delete`} onClick={() => close(true)} />
      </DialogButtons>
    </Dialog>
  )
}
