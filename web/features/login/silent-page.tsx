import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { Logo } from '#web/shared/logo.tsx'
import { page } from '#web/shared/page.ts'
import { signInWithoutPassword } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import styles from './login-page.module.css'
import { allSentences } from './refusals.ts'

/** Signs in without a form when a proxy or the instance itself names the user. Shows only errors. */
export function SilentPage() {
  const { t, i18n } = useLingui()
  const [error, setError] = useState<string>()
  const attempt = () =>
    signInWithoutPassword().catch(async (reason: unknown) => {
      await allSentences()
      const code = codeOf(reason)
      const isRefused = code === 'auth.wrong' || code === 'auth.forbidden'
      setError(isRefused ? t`Sign-in failed.` : i18n._(problemText(code)))
    })
  // biome-ignore lint/correctness/useExhaustiveDependencies: tries once; then the user decides.
  useEffect(() => void attempt(), [])
  return (
    <main className={styles.page} data-part="login">
      <title>{t`Sign in – ${page.Name}`}</title>
      {error && (
        <section className={styles.card}>
          <Logo size={44} />
          <h1>{page.Name}</h1>
          <p role="alert" className={styles.error}>
            {error}
          </p>
          <p>{t`Password sign-in isn't available here. Ask an administrator for access, then try again.`}</p>
          <Button variant="main" label={t`Try again`} onClick={attempt} />
        </section>
      )}
    </main>
  )
}
