import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { ShareView } from '#contract/shares.ts'
import { ApiProblem } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { draftOf } from './form/draft.ts'
import { LinkForm } from './form/link-form.tsx'
import { changeShare, folderOf } from './share-state.ts'

interface Question {
  link: ShareView
  /** It is a folder, as far as is known. */
  isDir: boolean
  /** The link belongs to another user, whose files cannot be seen. */
  isOfOther?: boolean
}

interface ChangeLinkProps extends Question {
  /** Undefined: nothing was changed. */
  onEnd(changed?: ShareView): void
}

/** The form of an existing link, filled in. */
export function ChangeLink({ link, isDir, isOfOther, onEnd }: ChangeLinkProps) {
  const { t } = useLingui()
  const [refused, setRefused] = useState<ApiProblem>()
  const [isBusy, setBusy] = useState(false)
  return (
    <LinkForm
      draft={draftOf(link)}
      link={link}
      isDir={isDir}
      isSeveral={link.paths !== undefined}
      folder={isOfOther ? undefined : folderOf({ path: link.path, isDir })}
      refused={refused}
      onSave={async (change) => {
        if (isBusy) return undefined
        setBusy(true)
        try {
          const changed = await changeShare(link.hash, change)
          showToast('success', t`Link changed.`)
          onEnd(changed)
        } catch (error) {
          if (error instanceof ApiProblem) setRefused(error)
          else showToast('error', problemMessage(error))
          setBusy(false)
        }
        return undefined
      }}
      buttons={(change) => (
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => onEnd()} />
          <Button type="submit" variant="main" label={t`Save`} isInactive={!change || isBusy} />
        </DialogButtons>
      )}
    />
  )
}

/** Changes a link. Returns it as it is then. */
export function ChangeLinkDialog({ question, close }: AskProps<Question, ShareView>) {
  const { t } = useLingui()
  const { path, paths } = question.link
  // Several items have no common name.
  const name = paths ? '' : shownName(path.replace(/^.*\//, ''))
  return (
    <Dialog title={name ? t`Change the link to “${name}”` : t`Change link`} onClose={close}>
      <ChangeLink {...question} onEnd={close} />
    </Dialog>
  )
}
