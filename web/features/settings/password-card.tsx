import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { type ApiProblem, api } from '#web/api/client.ts'
import { FormWithErrors } from '#web/shared/forms/form-errors.tsx'
import { newPasswordHelp } from '#web/shared/forms/new-password.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'
import styles from './password-card.module.css'

interface PasswordCardProps {
  /** The user's own id. */
  id: number
}

/**
 * Sets a new password, entered twice. The fields are green if both match, red if they differ, neutral if both are
 * empty.
 */
export function PasswordCard({ id }: PasswordCardProps) {
  const { t } = useLingui()
  const { field, card } = useSettingTexts()
  const [password, setPassword] = useState('')
  const [confirm, setConfirm] = useState('')
  const [refused, setRefused] = useState<ApiProblem>()
  const [task, setTask] = useState<Promise<boolean>>()
  const state = password || confirm ? (password === confirm ? 'match' : 'differ') : 'empty'
  const save = async (event: FormEvent) => {
    event.preventDefault()
    // No message is needed: the colours of the fields show the reason.
    if (state !== 'match') return false
    setRefused(undefined)
    const isDone = await submitForm(
      t`Password updated!`,
      (proof) =>
        api('PUT /api/users/:id', {
          params: { id },
          body: { what: 'user', which: ['password'], data: { id, password }, ...proof },
        }),
      setRefused,
    )
    if (isDone) {
      setPassword('')
      setConfirm('')
    }
    return isDone
  }
  const common = { autoComplete: 'new-password', 'data-state': state } as const
  return (
    <Card {...card('profile.passwords')}>
      <FormWithErrors
        className={styles.form}
        refused={refused}
        onSubmit={(event) => setTask(save(event))}
        onChange={() => setRefused(undefined)}
      >
        <PasswordField
          {...field('profile.password')}
          valuePath="password"
          value={password}
          help={newPasswordHelp()}
          onChange={(event) => setPassword(event.target.value)}
          {...common}
        />
        <PasswordField
          {...field('profile.confirm')}
          value={confirm}
          onChange={(event) => setConfirm(event.target.value)}
          error={state === 'differ' && confirm ? t`Passwords don't match` : undefined}
          {...common}
        />
        <Buttons>
          <Button type="submit" variant="main" label={t`Update`} task={task} />
        </Buttons>
      </FormWithErrors>
    </Card>
  )
}
