import { useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'

/** Asks before signing out stops running uploads. */
export function StopUploadsDialog({ close }: AskProps<object, true>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Files are being uploaded.`} onClose={close}>
      <DialogText>{t`Signing out stops the uploads. Unfinished files won't be kept.`}</DialogText>
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button variant="danger" label={t`Stop and sign out`} onClick={() => close(true)} />
      </DialogButtons>
    </Dialog>
  )
}
