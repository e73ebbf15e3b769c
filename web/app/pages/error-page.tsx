import { useLingui } from '@lingui/react/macro'
import { CloudOff, FileQuestion, type LucideIcon, RotateCw, ShieldX, TriangleAlert } from 'lucide-react'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { page } from '#web/shared/page.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import styles from './error-page.module.css'

const icons: Partial<Record<FailureCode, LucideIcon>> = {
  'network.lost': CloudOff,
  'path.unknown': FileQuestion,
  'auth.forbidden': ShieldX,
}

/** Errors that have the title of a more general one. Their own sentence is the reason below it. */
const titles: Partial<Record<FailureCode, FailureCode>> = {
  'path.forbidden': 'auth.forbidden',
  'path.denied': 'auth.forbidden',
  'path.outside': 'auth.forbidden',
  'path.dangling': 'path.unknown',
  'request.unknown': 'path.unknown',
  'share.unknown': 'path.unknown',
  'user.unknown': 'path.unknown',
}

interface ErrorPageProps {
  code: FailureCode
  /** The error fills the whole page, instead of a part of the layout. */
  isWhole?: boolean
  /** Tries again; undefined if that cannot help. */
  onRetry?: () => void
}

/** Shows why a page cannot be shown, with links to continue. */
export function ErrorPage({ code, isWhole = false, onRetry }: ErrorPageProps) {
  const { t, i18n } = useLingui()
  const kind = ownEntry(titles, code) ?? code
  const Icon = ownEntry(icons, kind) ?? TriangleAlert
  const title = i18n._(problemText(kind))
  const reason = i18n._(problemText(code))
  const Part = isWhole ? 'main' : 'section'
  return (
    <Part className={styles.page} data-part="error">
      {isWhole && <title>{`${title} – ${page.Name}`}</title>}
      <Icon size={56} strokeWidth={1.25} aria-hidden />
      <div role="alert" className={styles.said}>
        <h1>{title}</h1>
        {reason !== title && <p>{reason}</p>}
      </div>
      <div className={styles.ways}>
        {onRetry && <Button icon={RotateCw} label={t`Try again`} onClick={onRetry} />}
        <PageLink to={paths.files('/')} className={styles.home}>{t`Go to my files`}</PageLink>
      </div>
    </Part>
  )
}
