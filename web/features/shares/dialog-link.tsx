import { useLingui } from '@lingui/react/macro'
import { Lock, QrCode as QrSign } from 'lucide-react'
import { useState } from 'react'
import type { ShareView } from '#contract/shares.ts'
import { Button } from '#web/ui/button.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import { QrCode } from '#web/ui/qr-code.tsx'
import { CopyLink } from './copy-link.tsx'
import { LinkTools } from './link-tools.tsx'
import styles from './share-dialog.module.css'
import { ShareFacts } from './share-facts.tsx'
import { addressOfShare } from './share-state.ts'

interface DialogLinkProps {
  link: ShareView
  /** It was just created: copying it is the likely next step. */
  isNew: boolean
  onPause(isPaused: boolean): void
  onChange(): void
  onEnd(): void
}

/** A link in the dialog: its end, what it allows, its state, and its buttons. */
export function DialogLink({ link, isNew, ...tools }: DialogLinkProps) {
  const { t, i18n } = useLingui()
  const [showsQr, setQr] = useState(false)
  const address = addressOfShare(link)
  const until = formatDate(link.expire * 1000, i18n.locale)
  return (
    <li>
      <div className={styles.link}>
        <p>
          {link.hasPassword && <Lock size={16} role="img" aria-label={t`Password-protected`} />}
          <a href={address} target="_blank" rel="noopener">
            {link.expire === 0 ? t`Permanent link` : t`Expires ${until}`}
          </a>
        </p>
        <div>
          <CopyLink link={link} autoFocus={isNew} />
          <Button
            variant="quiet"
            icon={QrSign}
            iconOnly
            label={t`QR code`}
            aria-expanded={showsQr}
            onClick={() => setQr(!showsQr)}
          />
          <LinkTools link={link} {...tools} />
        </div>
        <p className={styles.facts}>
          <ShareFacts link={link} isShort />
        </p>
      </div>
      {showsQr && <QrCode text={address} label={t`QR code for the link`} />}
    </li>
  )
}
