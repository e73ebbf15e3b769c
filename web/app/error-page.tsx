import { useLingui } from '@lingui/react/macro'
import { CloudOff, FileQuestion, type LucideIcon, RotateCw, ShieldX, TriangleAlert } from 'lucide-react'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problem-text.ts'
import { Button } from '#web/ui/button.tsx'
import { entryOf } from '#web/ui/entry-of.ts'
import styles from './error-page.module.css'
import { page } from './page.ts'
import { PageLink } from './page-link.tsx'
import { paths } from './paths.ts'

const icons: Partial<Record<FailureCode, LucideIcon>> = {
  'network.lost': CloudOff,
  'path.unknown': FileQuestion,
  'request.unknown': FileQuestion,
  'auth.forbidden': ShieldX,
  'path.forbidden': ShieldX,
  'path.denied': ShieldX,
  'path.outside': ShieldX,
}

interface ErrorPageProps {
  code: FailureCode
  /** It is all that there is to see, not a part of the layout. */
  isWhole?: boolean
  /** Tries again; absent where that cannot help. */
  onRetry?: () => void
}

/** Why a page cannot be shown, and the ways on. */
export function ErrorPage({ code, isWhole = false, onRetry }: ErrorPageProps) {
  const { t, i18n } = useLingui()
  const Icon = entryOf(icons, code) ?? TriangleAlert
  const sentence = i18n._(problemText(code))
  const Part = isWhole ? 'main' : 'section'
  return (
    <Part className={styles.page} data-part="error">
      {isWhole && <title>{`${sentence} – ${page.Name}`}</title>}
      <Icon size={56} strokeWidth={1.25} aria-hidden />
      <h1>
        <span role="alert">{sentence}</span>
      </h1>
      <div>
        {onRetry && <Button icon={RotateCw} label={t`Try again`} onClick={onRetry} />}
        <PageLink to={paths.files('/')} className={styles.home}>{t`Go to my files`}</PageLink>
      </div>
    </Part>
  )
}
