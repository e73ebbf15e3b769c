import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { useSnapshot } from 'valtio'
import { OverlayHost } from '#web/overlays/overlay-host.tsx'
import { look } from '#web/shared/page.ts'
import { ToastHost } from '#web/ui/toast-host.tsx'
import { UploadsSlot } from './frame/uploads-slot.tsx'
import { reportAddress } from './report.ts'
import { Routes } from './routes.tsx'

/** Everything: the page of the address, the uploads beside it, the questions above it, the notices above those. */
export function App() {
  // What an administrator changes about the instance is seen at once, everywhere.
  void useSnapshot(look).changes
  return (
    <I18nProvider i18n={i18n}>
      <Routes />
      <UploadsSlot />
      <OverlayHost />
      <ToastHost report={reportAddress} />
    </I18nProvider>
  )
}
