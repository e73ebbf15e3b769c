import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { PageTitle } from '#web/app/frame/page-title.tsx'
import shell from '#web/app/frame/shell.module.css'
import { Sidebar } from '#web/app/frame/sidebar.tsx'
import { placesContext } from '#web/features/places/place-actions.ts'
import { PlacesPage } from '#web/features/places/places-page.tsx'
import type { PlaceKind } from '#web/features/places/places-state.ts'
import { dismissAll } from '#web/overlays/ask.ts'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles, usePageShortcuts } from '#web/shared/page-keys.ts'
import { session } from '#web/shared/session.ts'
import settings from './settings/settings-frame.module.css'

/** The starred or the recent files in the common layout. */
export function PlacesFrame({ kind }: { kind: PlaceKind }) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  useEffect(dismissAll, [])
  usePageShortcuts(placesContext)
  if (!user) return null
  const title = kind === 'recent' ? t`Recent` : t`Starred`
  return (
    <div className={`${shell.shell} ${settings.frame}`}>
      <PageTitle title={`${title} – ${page.Name}`} />
      <Sidebar context={contextWithoutFiles()} username={user.username} />
      <main className={shell.main}>
        <PlacesPage key={kind} kind={kind} />
      </main>
    </div>
  )
}
