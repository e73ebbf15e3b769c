import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { PageTitle } from '#web/app/frame/page-title.tsx'
import shell from '#web/app/frame/shell.module.css'
import { Sidebar } from '#web/app/frame/sidebar.tsx'
import settings from '#web/app/pages/settings/settings-frame.module.css'
import { bookmarksContext } from '#web/features/bookmarks/bookmark-actions.ts'
import { BookmarksPage } from '#web/features/bookmarks/bookmarks-page.tsx'
import type { BookmarkKind } from '#web/features/bookmarks/bookmarks-state.ts'
import { dismissAll } from '#web/overlays/ask.ts'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles, usePageShortcuts } from '#web/shared/page-keys.ts'
import { session } from '#web/shared/session.ts'

/** The starred or the recent files in the common layout. */
export function BookmarksFrame({ kind }: { kind: BookmarkKind }) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  useEffect(dismissAll, [])
  usePageShortcuts(bookmarksContext)
  if (!user) return null
  const title = kind === 'recent' ? t`Recent` : t`Starred`
  return (
    <div className={`${shell.shell} ${settings.frame}`}>
      <PageTitle title={`${title} – ${page.Name}`} />
      <Sidebar context={contextWithoutFiles()} username={user.username} />
      <main className={shell.main}>
        <BookmarksPage key={kind} kind={kind} />
      </main>
    </div>
  )
}
