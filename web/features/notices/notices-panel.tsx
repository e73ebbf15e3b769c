import { useLingui } from '@lingui/react/macro'
import { BellOff, CheckCheck, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { Notice } from '#contract/notices/notices.ts'
import type { TokenUser } from '#contract/users.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { LaterDialog } from '#web/overlays/later-dialog.tsx'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Time } from '#web/ui/format/time.tsx'
import { useMoreLines } from '#web/ui/line-list.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { DeviceSwitch } from './device-switch.tsx'
import { noticeFacts, noticeIcons, noticeText, targetOf } from './notice-text.ts'
import styles from './notices.module.css'
import {
  clearNotices,
  forgetList,
  loadMoreNotices,
  loadNotices,
  markAllRead,
  noteOpened,
  notices,
} from './notices-state.ts'

/** The notices of the user, the newest first, at the side of the window. On phones they fill the screen. */
export function NoticesPanel({ close }: AskProps<object, never>) {
  const { t } = useLingui()
  useEffect(() => {
    void loadNotices()
    // A list of yesterday must not appear when the panel is opened again.
    return forgetList
  }, [])
  return (
    <LaterDialog title={t`Notices`} isSide isScreen onClose={close}>
      <Tools />
      <NoticeList onOpen={close} />
      <footer className={styles.foot}>
        <DeviceSwitch />
        <p>
          <PageLink to={`${paths.profile}#profile.mail`} onClick={() => close()}>
            {t`E-mail and webhook`}
          </PageLink>
        </p>
      </footer>
    </LaterDialog>
  )
}

/** The buttons for all notices. Deleting asks first, because it cannot be undone. */
function Tools() {
  const { t } = useLingui()
  const { items, unread } = useSnapshot(notices)
  const [isAsking, setAsking] = useState(false)
  const isEmpty = !items || items.length === 0
  if (isEmpty) return null
  if (isAsking) {
    return (
      <fieldset className={styles.tools}>
        <legend>{t`Delete all notices?`}</legend>
        {/* Takes the place of the pressed button. */}
        <Button label={t`Cancel`} autoFocus onClick={() => setAsking(false)} />
        <Button
          variant="danger"
          label={t`Delete all`}
          onClick={() => tryTo(clearNotices).then((isDone) => isDone || setAsking(false))}
        />
      </fieldset>
    )
  }
  return (
    <div className={styles.tools}>
      <Button
        icon={CheckCheck}
        label={t`Mark all as read`}
        isInactive={unread === 0}
        onClick={() => tryTo(markAllRead)}
      />
      <Button variant="quiet" icon={Trash2} label={t`Clear`} onClick={() => setAsking(true)} />
    </div>
  )
}

/** Shows the refusal of the server. Returns whether the work succeeded. */
async function tryTo(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    showToast('error', problemMessage(error))
    return false
  }
}

interface NoticeListProps {
  /** Called when a notice is opened. */
  onOpen(): void
}

function NoticeList({ onOpen }: NoticeListProps) {
  const { t } = useLingui()
  const { items, next, isLoading, failure } = useSnapshot(notices)
  const { ref, expectMore } = useMoreLines<HTMLUListElement>(items?.length ?? 0)
  return (
    <div className={styles.list} aria-busy={isLoading}>
      {!items && !failure && <p role="status" className={styles.waiting}>{t`Loading…`}</p>}
      {items?.length === 0 && (
        <div className={styles.none}>
          <BellOff size={32} strokeWidth={1.5} aria-hidden />
          <p role="status">{t`No notices`}</p>
          <p>{t`You get notices here when visitors open your links or send you files.`}</p>
        </div>
      )}
      <ul ref={ref}>
        {(items as readonly Notice[] | undefined)?.map((notice) => (
          <NoticeLine key={notice.id} notice={notice} onOpen={onOpen} />
        ))}
      </ul>
      {failure && (
        <div className={styles.failure}>
          <p role="alert">{failure}</p>
          <Button
            label={t`Try again`}
            onClick={() => (items && next !== undefined ? loadMoreNotices() : loadNotices())}
          />
        </div>
      )}
      {next !== undefined && !failure && (
        <Button
          className={styles.more}
          label={t`Show more`}
          onClick={() => {
            expectMore()
            return loadMoreNotices()
          }}
        />
      )}
    </div>
  )
}

interface NoticeLineProps extends NoticeListProps {
  notice: Notice
}

/** A notice. All of it is a link. */
function NoticeLine({ notice, onOpen }: NoticeLineProps) {
  const { t } = useLingui()
  // The way in which times are written is a preference of the user.
  const user = useSnapshot(session).user as TokenUser | undefined
  const { kind, isRead, time } = notice
  const Icon = noticeIcons[kind]
  const facts = noticeFacts(notice)
  return (
    <li>
      <PageLink
        to={targetOf(notice)}
        className={styles.notice}
        data-unread={!isRead || undefined}
        data-kind={kind}
        onClick={(event) => {
          // With a modifier key it opens elsewhere.
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
          void noteOpened(notice)
          onOpen()
        }}
      >
        <Icon size={20} strokeWidth={1.8} aria-hidden />
        <span className={styles.words}>
          <span className={styles.sentence}>
            {!isRead && <span className="visually-hidden">{t`Unread:`} </span>}
            {noticeText(notice)}
          </span>
          {facts.length > 0 && <span className={styles.facts}>{facts.join(' · ')}</span>}
          <span className={styles.time}>
            <Time value={time} absolute={user?.dateFormat ?? false} />
          </span>
        </span>
      </PageLink>
    </li>
  )
}
