import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { newPasswordHelp } from '#web/shared/forms/new-password.ts'
import { Logo } from '#web/shared/logo.tsx'
import { page } from '#web/shared/page.ts'
import { navigateTo, targetOf } from '#web/shared/paths.ts'
import { session, signIn } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { Captcha } from './captcha.tsx'
import { captchaResponse, resetCaptcha } from './captcha-state.ts'
import styles from './login-page.module.css'
import { NewPasswordPage } from './new-password-page.tsx'
import { allSentences } from './refusals.ts'
import { SetupPage } from './setup-page.tsx'
import { SilentPage } from './silent-page.tsx'

/**
 * The page before the files: the set-up of the server, a new password for a user who must choose one, or the sign-in. That
 * is a form, or `SilentPage` when a proxy or the instance signs users in. Signed-in users continue where they wanted to go.
 */
export function LoginPage() {
  const { user } = useSnapshot(session)
  if (user?.mustChangePassword) return <NewPasswordPage user={user} />
  if (user) return <Continue />
  if (page.Setup) return <SetupPage />
  return page.LoginPage ? <LoginForm /> : <SilentPage />
}

function Continue() {
  useEffect(() => navigateTo(targetOf(location.search), { replace: true }), [])
  return null
}

/** The form to sign in, or to sign up if the instance allows it. */
function LoginForm() {
  const { t } = useLingui()
  const [isNew, setNew] = useState(page.Signup && new URLSearchParams(location.search).has('sign-up'))
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [task, setTask] = useState<Promise<void>>()

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const credentials = { username: String(form.get('username')), password: String(form.get('password')) }
    if (isNew && credentials.password !== form.get('confirm')) return setError(t`Passwords don't match`)
    const answer = captchaResponse()
    // An unsolved captcha shows the same error as a wrong password.
    if (!answer) return setError(t`Wrong username or password`)
    setBusy(true)
    setError(undefined)
    let isCreated = false
    try {
      if (isNew) {
        await api('POST /api/signup', { body: { ...credentials, ...answer } })
        // The account exists even if signing in fails next. Signing up again could only fail with a taken name.
        isCreated = true
        setNew(false)
      }
      // The address is still that of the sign-in page, from which signed-in users are redirected.
      await signIn({ ...credentials, ...answer })
    } catch (reason) {
      await allSentences()
      if (isCreated) showToast('success', t`User created!`)
      setError(problemMessage(reason))
      setBusy(false)
      resetCaptcha()
    }
  }

  return (
    <main className={styles.page} data-part="login">
      <title>{isNew ? t`Sign up – ${page.Name}` : t`Sign in – ${page.Name}`}</title>
      <form className={styles.card} onSubmit={(event) => setTask(submit(event))}>
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
          spellCheck={false}
          autoFocus
          required
        />
        <PasswordField
          label={t`Password`}
          name="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          help={isNew ? newPasswordHelp() : undefined}
          required
        />
        {isNew && (
          <PasswordField label={t`Confirm password`} name="confirm" autoComplete="new-password" required />
        )}
        {page.ReCaptcha && <Captcha />}
        <Button
          type="submit"
          variant="main"
          label={isNew ? t`Sign up` : t`Sign in`}
          isInactive={busy}
          task={task}
        />
        {page.Signup && (
          <Button
            variant="quiet"
            label={isNew ? t`Already have an account? Sign in` : t`Create an account`}
            onClick={() => {
              setNew(!isNew)
              setError(undefined)
            }}
          />
        )}
      </form>
    </main>
  )
}
