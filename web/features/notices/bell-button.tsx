import { Plural, useLingui } from '@lingui/react/macro'
import { Bell } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { ask } from '#web/overlays/ask.ts'
import { mayShare, session } from '#web/shared/session.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './notices.module.css'
import { NoticesPanel } from './notices-panel.tsx'
import { notices } from './notices-state.ts'

/** A larger number does not fit into the badge. */
const mostShown = 99

interface BellButtonProps {
  /** Called before the panel opens. Closes the drawer on narrow screens. */
  onAct(): void
}

/** Opens the notices, and shows how many are unread. Only for users who may share: notices are about their links. */
export function BellButton({ onAct }: BellButtonProps) {
  const { t, i18n } = useLingui()
  const { user } = useSnapshot(session)
  const { unread } = useSnapshot(notices)
  if (!user || user.mustChangePassword || !mayShare(user.perm)) return null
  const most = formatNumber(mostShown, i18n.locale)
  return (
    <>
      <button
        type="button"
        className={styles.bell}
        data-part="bell"
        data-full={t`Notices`}
        aria-haspopup="dialog"
        onClick={() => {
          onAct()
          void ask(NoticesPanel, {})
        }}
      >
        <i aria-hidden data-unread={unread > 0 || undefined}>
          <Bell size={18} strokeWidth={1.8} />
        </i>
        <span>{t`Notices`}</span>
        {unread > 0 && (
          <span className={styles.count} aria-hidden>
            {unread > mostShown ? t`${most}+` : formatNumber(unread, i18n.locale)}
          </span>
        )}
        {unread > 0 && (
          <span className="visually-hidden">
            <Plural value={unread} one="# unread" other="# unread" />
          </span>
        )}
      </button>
      {/* Announced when it changes. Only the visible one of the sidebar and the drawer is heard. */}
      <span role="status" className="visually-hidden">
        {unread > 0 && <Plural value={unread} one="# unread notice" other="# unread notices" />}
      </span>
    </>
  )
}
