import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { useEffect, useState } from 'react'
import { usePathname } from 'wouter/use-browser-location'
import { ErrorPage } from './error-page.tsx'

interface FailedProps {
  /** Shows everything anew. */
  onLeave(): void
}

/** What stands where the page was, when a fault of ours has taken it down. */
export function Failed({ onLeave }: FailedProps) {
  const pathname = usePathname()
  const [failed] = useState(pathname)
  // Another address is another page, which may do better.
  useEffect(() => {
    if (pathname !== failed) onLeave()
  }, [pathname, failed, onLeave])
  return (
    <I18nProvider i18n={i18n}>
      <ErrorPage isWhole code="server.failed" onRetry={onLeave} />
    </I18nProvider>
  )
}
