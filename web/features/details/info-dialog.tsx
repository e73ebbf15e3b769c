import { useLingui } from '@lingui/react/macro'
import type { Item } from '#contract/resources.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { LaterDialog, LaterDialogButtons } from '#web/overlays/later-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { ItemDetails } from './item-details.tsx'

interface Question {
  file: Item
}

/** The properties of an open file, where no list is shown beside which a panel could be. */
export function InfoDialog({ question: { file }, close }: AskProps<Question, never>) {
  const { t } = useLingui()
  return (
    <LaterDialog title={t`Info`} isWide onClose={close}>
      <ItemDetails name={file.name} path={file.path} item={file} folder={undefined} onLeave={() => close()} />
      <LaterDialogButtons>
        <Button variant="main" label={t`Close`} onClick={() => close()} autoFocus />
      </LaterDialogButtons>
    </LaterDialog>
  )
}
