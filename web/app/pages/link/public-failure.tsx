import { useLingui } from '@lingui/react/macro'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { PublicFrame } from '#web/features/public/public-frame.tsx'
import { usePageShortcuts } from '#web/shared/page-keys.ts'
import { ErrorPage } from '../error-page.tsx'

interface PublicFailureProps {
  code: FailureCode
}

/** The page of an error for users who are not signed in. */
export function PublicFailure({ code }: PublicFailureProps) {
  const { i18n } = useLingui()
  usePageShortcuts()
  return (
    <PublicFrame title={i18n._(problemText(code))} target="/files/">
      <ErrorPage code={code} />
    </PublicFrame>
  )
}
