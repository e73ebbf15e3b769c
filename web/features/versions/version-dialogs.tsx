import { Trans, useLingui } from '@lingui/react/macro'
import type { Version } from '#contract/history/kept.ts'
import { LaterDialog, LaterDialogButtons, LaterDialogText } from '#web/overlays/later-dialog.tsx'
import { KeptContent } from '#web/shared/kept/kept-content.tsx'
import { quoted } from '#web/shared/undo/change-text.ts'
import { Button } from '#web/ui/button.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import { sourceOf, type VersionedFile } from './compare/contents.ts'

interface VersionDialogProps {
  file: VersionedFile
  version: Version
  onCompare(): void
  onClose(): void
}

/** Shows the content of a version. */
export function VersionDialog({ file, version: { id, modified }, onCompare, onClose }: VersionDialogProps) {
  const { t, i18n } = useLingui()
  const [name, date] = [quoted(file.name), formatDate(Date.parse(modified), i18n.locale)]
  return (
    <LaterDialog title={t`${name}, ${date}`} isWide onClose={onClose}>
      <KeptContent source={sourceOf(file, id)} name={file.name} type={file.type} />
      <LaterDialogButtons>
        <Button label={t`Compare`} onClick={onCompare} />
        <Button variant="main" label={t`Close`} onClick={onClose} autoFocus />
      </LaterDialogButtons>
    </LaterDialog>
  )
}

interface DeleteVersionDialogProps {
  version: Version
  onConfirm(): void
  onClose(): void
}

/** Asks before a version is deleted, because this cannot be undone. */
export function DeleteVersionDialog({ version: { modified }, onConfirm, onClose }: DeleteVersionDialogProps) {
  const { t, i18n } = useLingui()
  const date = formatDate(Date.parse(modified), i18n.locale)
  return (
    <LaterDialog title={t`Delete this version?`} onClose={onClose}>
      <LaterDialogText>
        <Trans>The content of {date} will be deleted permanently. This can't be undone.</Trans>
      </LaterDialogText>
      <LaterDialogButtons>
        <Button label={t`Cancel`} onClick={onClose} autoFocus />
        <Button variant="danger" label={t`Delete version`} onClick={onConfirm} />
      </LaterDialogButtons>
    </LaterDialog>
  )
}
