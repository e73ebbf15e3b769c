import { useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import type { ShareView } from '#contract/shares.ts'
import { copyText } from '#web/shared/copy-text.ts'
import { Button, type ButtonProps } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { addressOfShare } from './share-state.ts'

interface CopyLinkProps extends Pick<ButtonProps, 'aria-describedby' | 'autoFocus'> {
  link: Pick<ShareView, 'hash' | 'slug'>
}

/** The button that copies the address of a share, and shows whether that worked. */
export function CopyLink({ link, ...rest }: CopyLinkProps) {
  const { t } = useLingui()
  const copy = async () => {
    const isDone = await copyText(addressOfShare(link))
    if (isDone) showToast('success', t`Link copied!`)
    else showToast('error', t`The link couldn't be copied.`)
    return isDone
  }
  return <Button {...rest} variant="quiet" icon={Copy} iconOnly label={t`Copy link`} onClick={copy} />
}
