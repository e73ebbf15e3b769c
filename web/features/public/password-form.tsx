import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import styles from './public-page.module.css'

interface PasswordFormProps {
  /** The server limits further attempts. */
  isLimited: boolean
  onPassword(password: string): Promise<void>
}

/** Asks a visitor for the password of a share. */
export function PasswordForm({ isLimited, onPassword }: PasswordFormProps) {
  const { t } = useLingui()
  const [password, setPassword] = useState('')
  const [wasSubmitted, setSubmitted] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await onPassword(password)
    setSubmitted(true)
    setPassword('')
  }
  const wrong = isLimited ? t`Too many attempts. Wait a moment, then try again.` : t`Wrong password`
  return (
    <form className={styles.message} onSubmit={submit}>
      <h1>{t`This link needs a password.`}</h1>
      <PasswordField
        label={t`Password`}
        autoComplete="off"
        autoFocus
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={(wasSubmitted || isLimited) && !password ? wrong : undefined}
      />
      <Button type="submit" variant="main" label={t`Open`} />
    </form>
  )
}
