import { Trans, useLingui } from '@lingui/react/macro'
import { Clock, Eraser, Star, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import type { Bookmark } from '#contract/history/bookmarks.ts'
import { ActionButton } from '#web/actions/action-button.tsx'
import { runAction } from '#web/actions/registry.ts'
import { onChange } from '#web/shared/changes.ts'
import { useFreeFocus } from '#web/shared/lists/use-free-focus.ts'
import { onLiveChange } from '#web/shared/live/live-changes.ts'
import { stars } from '#web/shared/marks/stars.ts'
import { useUndoKeys } from '#web/shared/rows/use-undo-keys.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import { Toolbar } from '#web/ui/toolbar.tsx'
import { offeredFor } from './bookmark-actions.ts'
import { bookmarkRows } from './bookmark-selection.ts'
import styles from './bookmarks.module.css'
import { BookmarksList } from './bookmarks-list.tsx'
import {
  type BookmarkKind,
  bookmarks,
  clearRecent,
  forgetBookmarks,
  loadBookmarks,
} from './bookmarks-state.ts'

interface BookmarksPageProps {
  kind: BookmarkKind
}

/** Delays before the list is loaded again, in milliseconds: after changes of this page, and of others. */
const delays = { ownMs: 100, othersMs: 1000 }

/** The starred files and folders, or the recent files. */
export function BookmarksPage({ kind }: BookmarksPageProps) {
  const { t } = useLingui()
  const { failure, isLoaded, items } = useSnapshot(bookmarks)
  useEffect(() => {
    void loadBookmarks(kind)
    let timer: ReturnType<typeof setTimeout> | undefined
    const loadAfter = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => void loadBookmarks(kind), ms)
    }
    const ends = [onChange(() => loadAfter(delays.ownMs)), onLiveChange(() => loadAfter(delays.othersMs))]
    return () => {
      clearTimeout(timer)
      for (const end of ends) end()
      forgetBookmarks()
    }
  }, [kind])
  useUndoKeys()
  const isRecent = kind === 'recent'
  const title = isRecent ? t`Recent` : t`Starred`
  return (
    <section className={styles.page} data-part="bookmarks">
      <div className={styles.bar}>
        <h1>{title}</h1>
        <Selected />
        <SelectionActions />
        {isRecent && items.length > 0 && (
          <Button
            variant="quiet"
            icon={Eraser}
            label={t`Clear list`}
            className={styles.clear}
            onClick={clearRecent}
          />
        )}
      </div>
      {failure ? (
        <Message>
          <p role="alert">{failure}</p>
          <Button label={t`Try again`} onClick={() => loadBookmarks(kind)} />
        </Message>
      ) : items.length > 0 ? (
        <BookmarksList kind={kind} title={title} />
      ) : isLoaded ? (
        <Empty kind={kind} />
      ) : (
        <Message>
          <p role="status">{t`Loading…`}</p>
        </Message>
      )}
    </section>
  )
}

/** The number of selected entries. Screen readers announce it. */
function Selected() {
  const { i18n } = useLingui()
  const { ids } = useSnapshot(bookmarkRows.state)
  const { length } = useSnapshot(bookmarks).items
  return (
    <p role="status" className={styles.selected}>
      {ids.size > 0 && (
        <Trans>
          {formatNumber(ids.size, i18n.locale)} of {formatNumber(length, i18n.locale)} selected
        </Trans>
      )}
    </p>
  )
}

/** What can be done with the selection. */
function SelectionActions() {
  const { t } = useLingui()
  const { ids } = useSnapshot(bookmarkRows.state)
  const items = useSnapshot(bookmarks).items as readonly Bookmark[]
  // The stars change, too.
  useSnapshot(stars)
  const { context, groups } = offeredFor(bookmarkRows.selectedIn(items))
  if (ids.size === 0) return null
  return (
    <Toolbar label={t`Actions`} className={styles.actions} part="selection-actions">
      {groups
        .flat()
        .filter(({ id }) => id !== 'open-bookmark')
        .map((action) => (
          <ActionButton
            key={action.id}
            action={action}
            data-danger={action.id === 'delete' || undefined}
            onClick={() => runAction(action, context)}
          />
        ))}
      <Button
        variant="quiet"
        icon={X}
        iconOnly
        label={t`Clear selection`}
        onClick={() => {
          bookmarkRows.clear(bookmarkRows.state.cursor)
          document
            .querySelector<HTMLElement>('[data-part=bookmarks] [role=grid]')
            ?.focus({ preventScroll: true })
        }}
      />
    </Toolbar>
  )
}

function Message({ children }: { children: ReactNode }) {
  return <div className={styles.message}>{children}</div>
}

/** Explains how items get into an empty list. */
function Empty({ kind }: BookmarksPageProps) {
  const { t } = useLingui()
  const [Icon, title, text] =
    kind === 'recent'
      ? [Clock, t`No recent files`, t`Files that you open or change appear here.`]
      : [Star, t`Nothing starred yet`, t`Choose “Add to starred” in the menu of a file or folder.`]
  const message = useRef<HTMLHeadingElement>(null)
  useFreeFocus(message, kind, false)
  return (
    <Message>
      <Icon size={56} strokeWidth={1} aria-hidden />
      <h2 ref={message} tabIndex={-1} data-message>
        {title}
      </h2>
      <p>{text}</p>
    </Message>
  )
}
