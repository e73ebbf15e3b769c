import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { page } from '#web/app/page.ts'
import { go } from '#web/app/paths.ts'
import { signIn, signUp } from '#web/app/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Logo } from '#web/ui/logo.tsx'
import styles from './login-page.module.css'

/** Where a person goes after signing in: an address of this product only, so that no link can send them elsewhere. */
export function targetOf(search: string): string {
  const target = new URLSearchParams(search).get('redirect') ?? ''
  return /^\/(?![/\\])/.test(target) && !target.startsWith('/login') ? target : '/files/'
}

/** Sign in, or where the instance allows it, sign up (specification, section 2). */
export function LoginPage() {
  const { t, i18n } = useLingui()
  const [isNew, setNew] = useState(false)
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [username, password] = [String(form.get('username')), String(form.get('password'))]
    if (isNew && password !== form.get('confirm')) return setError(t`Passwords don't match`)
    setBusy(true)
    setError(undefined)
    try {
      await (isNew ? signUp : signIn)(username, password)
      go(targetOf(location.search), { replace: true })
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
      setBusy(false)
    }
  }

  return (
    <main className={styles.page} data-part="login">
      <title>{isNew ? t`Sign up – ${page.Name}` : t`Sign in – ${page.Name}`}</title>
      <form className={styles.card} onSubmit={submit}>
        <Logo size={44} />
        <h1>{page.Name}</h1>
        {error && (
          <p role="alert" className={styles.error}>
            {error}
          </p>
        )}
        <Field
          label={t`Username`}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
          required
        />
        <Field
          label={t`Password`}
          name="password"
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
        />
        {isNew && (
          <Field
            label={t`Confirm password`}
            name="confirm"
            type="password"
            autoComplete="new-password"
            required
          />
        )}
        <Button type="submit" look="main" label={isNew ? t`Sign up` : t`Sign in`} disabled={busy} />
        {page.Signup && (
          <Button
            look="quiet"
            label={isNew ? t`Already have an account? Sign in` : t`Create an account`}
            onClick={() => setNew(!isNew)}
          />
        )}
      </form>
    </main>
  )
}
