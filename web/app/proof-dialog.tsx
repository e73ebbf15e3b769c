import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'

interface Question {
  /** The password given before was not the right one. */
  isWrong: boolean
}

/** Asks for the person's own password, where a stolen session must not be enough. */
export function ProofDialog({ question, close }: AskProps<Question, string>) {
  const { t } = useLingui()
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password) close(password)
  }
  return (
    <Dialog title={t`Your current password`} onClose={close}>
      <form onSubmit={submit}>
        <Field
          label={t`Current password`}
          type="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={question.isWrong && !password ? t`The current password is wrong.` : undefined}
        />
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button type="submit" look="main" label={t`Continue`} disabled={!password} />
        </DialogButtons>
      </form>
    </Dialog>
  )
}
