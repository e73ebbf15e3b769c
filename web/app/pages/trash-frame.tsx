import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { PageTitle } from '#web/app/frame/page-title.tsx'
import shell from '#web/app/frame/shell.module.css'
import { Sidebar } from '#web/app/frame/sidebar.tsx'
import { TrashPage } from '#web/features/trash/trash-page.tsx'
import { dismissAll } from '#web/overlays/ask.ts'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles, usePageShortcuts } from '#web/shared/page-keys.ts'
import { session } from '#web/shared/session.ts'
import settings from './settings/settings-frame.module.css'

/** The trash in the common layout. */
export function TrashFrame() {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  useEffect(dismissAll, [])
  usePageShortcuts()
  if (!user) return null
  return (
    <div className={`${shell.shell} ${settings.frame}`}>
      <PageTitle title={`${t`Trash`} – ${page.Name}`} />
      <Sidebar context={contextWithoutFiles()} username={user.username} />
      <main className={shell.main}>
        <TrashPage />
      </main>
    </div>
  )
}
