import { useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'
import { AllFilesText } from './all-files-text.tsx'

/** Asks before new users get access to all files. */
export function OpenSignUpDialog({ close }: AskProps<object, true>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Give new users access to all files?`} onClose={close}>
      <DialogText>
        <AllFilesText />
      </DialogText>
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button variant="danger" label={t`Save anyway`} onClick={() => close(true)} />
      </DialogButtons>
    </Dialog>
  )
}
