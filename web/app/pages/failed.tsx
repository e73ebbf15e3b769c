import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { useEffect, useState } from 'react'
import { usePathname } from 'wouter/use-browser-location'
import { ErrorPage } from './error-page.tsx'

interface FailedProps {
  /** Renders the page again. */
  onLeave(): void
}

/** Replaces the page after an uncaught error. */
export function CrashPage({ onLeave }: FailedProps) {
  const pathname = usePathname()
  const [failed] = useState(pathname)
  // Another address shows another page, which may work.
  useEffect(() => {
    if (pathname !== failed) onLeave()
  }, [pathname, failed, onLeave])
  return (
    <I18nProvider i18n={i18n}>
      <ErrorPage isWhole code="server.failed" onRetry={onLeave} />
    </I18nProvider>
  )
}
