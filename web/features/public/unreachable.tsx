import { useLingui } from '@lingui/react/macro'
import { ArrowLeft, RotateCw, Unlink } from 'lucide-react'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { Button } from '#web/ui/button.tsx'
import styles from './public-page.module.css'

interface UnreachableProps {
  code: FailureCode
  /** The address of the shared folder; undefined at the top. */
  folder?: string | undefined
  /** Retries. */
  onRetry?: () => void
  /** It is above a page that stays. */
  isLine?: boolean | undefined
}

/** Errors for which visitors get the same advice: ask the sender for a new share. */
const endedCodes: readonly FailureCode[] = [
  'share.unknown',
  'auth.forbidden',
  'path.forbidden',
  'path.denied',
  'share.uploads',
  'share.right',
]

/** Errors after which a retry may succeed. */
const retryable: readonly FailureCode[] = [
  ...(['network.lost', 'request.limited', 'request.slow', 'user.busy'] as const),
  ...(['disk.silent', 'server.busy', 'server.stopping', 'server.failed'] as const),
]

/** Why a share cannot be shown, and what the visitor can do. */
export function ShareError({ code, folder, onRetry, isLine }: UnreachableProps) {
  const { t, i18n } = useLingui()
  const hasEnded = endedCodes.includes(code)
  const needsSender = hasEnded || code === 'share.limit'
  const sentence = i18n._(problemText(hasEnded ? 'share.unknown' : code))
  return (
    <section className={styles.message}>
      {isLine ? (
        <p role="alert">{sentence}</p>
      ) : (
        <>
          <Unlink size={56} strokeWidth={1.25} aria-hidden />
          <h1>
            <span role="alert">{sentence}</span>
          </h1>
        </>
      )}
      {hasEnded && !isLine && <p>{t`It may also be paused, or start later.`}</p>}
      {needsSender && <p>{t`Ask the person who sent it for a new link.`}</p>}
      {onRetry && retryable.includes(code) && (
        <Button icon={RotateCw} label={t`Try again`} onClick={onRetry} />
      )}
      {folder && code === 'path.unknown' && (
        <PageLink className={styles.back} to={folder}>
          <ArrowLeft size={18} aria-hidden />
          {t`Back to the folder`}
        </PageLink>
      )}
    </section>
  )
}
