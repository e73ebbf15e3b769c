import { useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'

/** Asks before signing out stops running uploads. */
export function StopUploadsDialog({ close }: AskProps<object, true>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Files are being uploaded.`} onClose={close}>
      <p>{t`Signing out stops the uploads. Unfinished files won't be kept.`}</p>
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button variant="danger" label={t`Stop and sign out`} onClick={() => close(true)} />
      </DialogButtons>
    </Dialog>
  )
}
