import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { useSnapshot } from 'valtio'
import { OverlayHost } from '#web/overlays/overlay-host.tsx'
import { pageChanges } from '#web/shared/page.ts'
import { ToastHost } from '#web/ui/toasts/toast-host.tsx'
import { MusicSlot } from './frame/music-slot.tsx'
import { SkipLink } from './frame/skip-link.tsx'
import { UploadsSlot } from './frame/uploads-slot.tsx'
import { Routes } from './routes.tsx'

/** The whole page: the current route, the uploads, dialogs above it, and notices on top. */
export function App() {
  // Renders again when an administrator changes settings of the instance.
  void useSnapshot(pageChanges).changes
  return (
    <I18nProvider i18n={i18n}>
      <SkipLink />
      <Routes />
      <MusicSlot />
      <UploadsSlot />
      <OverlayHost />
      <ToastHost />
    </I18nProvider>
  )
}
