import { useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'

/** Asks before everybody who signs up gets all files. */
export function OpenSignUp({ close }: AskProps<object, true>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Give newcomers all files?`} onClose={close}>
      <p>{t`Everybody who signs up can see all files of this server, and change them as far as the user default settings allow. To keep newcomers apart, make a home folder for every new user, or set another default scope.`}</p>
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button look="danger" label={t`Save anyway`} onClick={() => close(true)} />
      </DialogButtons>
    </Dialog>
  )
}
