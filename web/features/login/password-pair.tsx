import { useLingui } from '@lingui/react/macro'
import { newPasswordHelp } from '#web/shared/forms/new-password.ts'
import { PasswordField } from '#web/ui/fields/password-field.tsx'

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
  return (
    <>
      <PasswordField
        label={t`New password`}
        name="password"
        autoComplete="new-password"
        help={error ? undefined : newPasswordHelp()}
        error={error}
        autoFocus={autoFocus}
        required
      />
      <PasswordField
        label={t`Confirm new password`}
        name="confirm"
        autoComplete="new-password"
        error={isDifferent ? t`Passwords don't match` : undefined}
        required
      />
    </>
  )
}
