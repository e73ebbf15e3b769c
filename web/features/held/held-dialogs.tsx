import { Trans, useLingui } from '@lingui/react/macro'
import type { HeldView } from '#contract/history/held.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { LaterDialog, LaterDialogButtons, LaterDialogText } from '#web/overlays/later-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'

interface HeldQuestion {
  file: HeldView
}

/** Asks before a held file is deleted. */
export function DeleteHeldDialog({ question: { file }, close }: AskProps<HeldQuestion, true>) {
  const { t } = useLingui()
  return (
    <LaterDialog title={t`Delete permanently?`} onClose={close}>
      <LaterDialogText>
        <p>
          <Trans>
            “<bdi>{shownName(file.name)}</bdi>” will be deleted permanently.
          </Trans>
        </p>
        <p>{t`This can't be undone.`}</p>
      </LaterDialogText>
      <LaterDialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button variant="danger" label={t`Delete permanently`} onClick={() => close(true)} />
      </LaterDialogButtons>
    </LaterDialog>
  )
}

/** Asks before a held file becomes visible in spite of the virus scanner. */
export function ReleaseHeldDialog({ question: { file }, close }: AskProps<HeldQuestion, true>) {
  const { t } = useLingui()
  const name = <bdi>{shownName(file.name)}</bdi>
  const found = <bdi lang="en">{file.reason}</bdi>
  return (
    <LaterDialog title={t`Release this file?`} onClose={close}>
      <LaterDialogText>
        <p>
          {file.state === 'infected' ? (
            <Trans>
              The virus scanner has found {found} in “{name}”. Others will be able to open the file.
            </Trans>
          ) : (
            <Trans>“{name}” was not examined for viruses. Others will be able to open the file.</Trans>
          )}
        </p>
        <p>{t`The release is recorded in the audit log.`}</p>
      </LaterDialogText>
      <LaterDialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button
          variant={file.state === 'infected' ? 'danger' : 'main'}
          label={t`Release`}
          onClick={() => close(true)}
        />
      </LaterDialogButtons>
    </LaterDialog>
  )
}
