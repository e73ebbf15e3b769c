import { useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import { Button, type ButtonProps } from '#web/ui/button.tsx'
import { tell } from '#web/ui/toasts.ts'
import { copyText } from './copy-text.ts'
import { addressOfLink } from './share-state.ts'

interface CopyLinkProps extends Pick<ButtonProps, 'aria-describedby'> {
  hash: string
}

/** The button that copies the address of a share, and shows whether that worked. */
export function CopyLink({ hash, ...rest }: CopyLinkProps) {
  const { t } = useLingui()
  const copy = async () => {
    const isDone = await copyText(addressOfLink(hash))
    if (isDone) tell('success', t`Link copied!`)
    else tell('error', t`The link couldn't be copied.`)
    return isDone
  }
  return <Button {...rest} look="quiet" icon={Copy} iconOnly label={t`Copy link`} onClick={copy} />
}
