import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { page } from '#web/shared/page.ts'
import { Field } from '#web/ui/field.tsx'
import { Hint } from '#web/ui/form.tsx'
import styles from './login-page.module.css'

interface PasswordPairProps {
  /** Why the password is refused. */
  error: string | undefined
  /** Whether both entries differ. */
  isDifferent: boolean
  autoFocus?: boolean
}

/** A new password, entered twice, with the rules for passwords. The fields are named `password` and `confirm`. */
export function PasswordPair({ error, isDifferent, autoFocus }: PasswordPairProps) {
  const { t } = useLingui()
  const hint = useId()
  const minimum = page.MinimumPasswordLength
  return (
    <>
      <div className={styles.explained}>
        <Field
          label={t`New password`}
          name="password"
          type="password"
          autoComplete="new-password"
          aria-describedby={hint}
          error={error}
          autoFocus={autoFocus}
          required
        />
        {!error && (
          <Hint id={hint}>
            {t`Use at least ${minimum} characters. A few words that don't belong together are easy to remember and hard to guess.`}
          </Hint>
        )}
      </div>
      <Field
        label={t`Confirm new password`}
        name="confirm"
        type="password"
        autoComplete="new-password"
        error={isDifferent ? t`Passwords don't match` : undefined}
        required
      />
    </>
  )
}
