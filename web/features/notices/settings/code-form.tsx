import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { NoticeSettings } from '#contract/notices/notices.ts'
import { api } from '#web/api/client.ts'
import { codeOf, problemMessage } from '#web/api/problems/problem-text.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Buttons } from '#web/ui/form.tsx'
import styles from './notice-settings.module.css'

interface CodeFormProps {
  /** The address to which the code was sent. */
  address: string
  onConfirmed(settings: NoticeSettings): void
  /** Sends another code. @throws ApiProblem */
  onAgain(): Promise<void>
  /** Lets the user enter another address. */
  onOther(): void
  /** Removes the address, and a confirmed one. */
  onRemove(): Promise<boolean>
}

/** Asks for the code that was sent to an address. */
export function CodeForm({ address, onConfirmed, onAgain, onOther, onRemove }: CodeFormProps) {
  const { t } = useLingui()
  const [code, setCode] = useState('')
  const [error, setError] = useState('')
  const [task, setTask] = useState<Promise<boolean>>()
  const confirm = (event: FormEvent) => {
    event.preventDefault()
    setError('')
    setTask(submitForm(t`Address confirmed.`, send))
  }
  const send = async () => {
    try {
      onConfirmed(await api('POST /api/notices/settings/confirm', { body: { code } }))
    } catch (refusal) {
      // Beside the field, where it stays until another code is typed.
      if (codeOf(refusal) === 'mail.code') setError(problemMessage(refusal))
      throw refusal
    }
  }
  return (
    <form onSubmit={confirm}>
      <p className={styles.known}>
        <Trans>
          A code was sent to <bdi>{address}</bdi>. It is valid for 30 minutes.
        </Trans>
      </p>
      <Field
        label={t`Code`}
        inputMode="numeric"
        autoComplete="one-time-code"
        dir="ltr"
        maxLength={32}
        required
        error={error || undefined}
        value={code}
        onChange={(event) => {
          setCode(event.target.value)
          setError('')
        }}
      />
      <Buttons>
        <Button variant="quiet" label={t`Remove`} onClick={onRemove} />
        <Button variant="quiet" label={t`Another address`} onClick={onOther} />
        <Button label={t`Send another code`} onClick={() => submitForm(t`Code sent.`, onAgain)} />
        <Button type="submit" variant="main" label={t`Confirm`} task={task} />
      </Buttons>
    </form>
  )
}
