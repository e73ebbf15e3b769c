import { useLingui } from '@lingui/react/macro'
import { Unlink } from 'lucide-react'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problem-text.ts'
import styles from './public-page.module.css'

interface UnreachableProps {
  code: FailureCode
}

/** Why a link shows nothing, and what its visitor can do. */
export function Unreachable({ code }: UnreachableProps) {
  const { t, i18n } = useLingui()
  const isOver = code === 'share.unknown' || code === 'auth.forbidden'
  return (
    <section className={styles.box}>
      <Unlink size={56} strokeWidth={1.25} aria-hidden />
      <h1>
        <span role="alert">{i18n._(problemText(isOver ? 'share.unknown' : code))}</span>
      </h1>
      {isOver && <p>{t`Ask the person who sent it for a new one.`}</p>}
    </section>
  )
}
