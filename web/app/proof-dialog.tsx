import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useRef, useState } from 'react'
import type { AskProps } from '#web/overlays/ask.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'

interface Question {
  /**
   * Repeats the call with this password. Returns the error to show at the field if the password is refused; undefined
   * if the dialog is done.
   */
  retry(password: string): Promise<string | undefined>
}

/** Asks for the current password before a change that a stolen session must not be able to make. */
export function ProofDialog({ question, close }: AskProps<Question, never>) {
  const { t } = useLingui()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [task, setTask] = useState<Promise<void>>()
  const input = useRef<HTMLInputElement>(null)

  async function submit() {
    setBusy(true)
    setError(undefined)
    const refused = await question.retry(password)
    setBusy(false)
    if (refused === undefined) return close()
    setError(refused)
    // The next key press replaces the wrong password.
    input.current?.focus()
    input.current?.select()
  }

  const send = (event: FormEvent) => {
    event.preventDefault()
    if (password && !isBusy) setTask(submit())
  }
  return (
    <Dialog title={t`Confirm your password`} onClose={close}>
      <DialogText>
        {t`You last entered your password more than ten minutes ago. Enter it again to make this change.`}
      </DialogText>
      <form onSubmit={send}>
        {/* Lets password managers know the user of this password. */}
        <input hidden readOnly autoComplete="username" value={session.user?.username ?? ''} />
        <PasswordField
          ref={input}
          label={t`Current password`}
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={(event) => {
            setPassword(event.target.value)
            setError(undefined)
          }}
          error={error}
        />
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button
            type="submit"
            variant="main"
            label={t`Continue`}
            isInactive={!password || isBusy}
            task={task}
          />
        </DialogButtons>
      </form>
    </Dialog>
  )
}
