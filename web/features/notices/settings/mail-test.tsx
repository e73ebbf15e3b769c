import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { ApiProblem, api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Hint } from '#web/ui/form.tsx'
import styles from './notice-settings.module.css'

interface MailTestProps {
  /** The form has values that are not saved, and so are not tested. */
  isChanged: boolean
}

/** Sends a test message, and shows what the mail server answers. */
export function MailTest({ isChanged }: MailTestProps) {
  const { t } = useLingui()
  const { field } = useSettingTexts()
  const [to, setTo] = useState('')
  const [failure, setFailure] = useState<{ sentence: string; detail: string }>()
  const [sentTo, setSentTo] = useState('')
  const [task, setTask] = useState<Promise<boolean>>()
  const send = async () => {
    setFailure(undefined)
    setSentTo('')
    try {
      await api('POST /api/settings/mail/test', { body: { to } })
      setSentTo(to)
      return true
    } catch (error) {
      setFailure({ sentence: problemMessage(error), detail: detailOf(error) })
      return false
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isChanged) setTask(send())
  }
  return (
    <form onSubmit={submit} className={styles.test}>
      <Field
        {...field('global.mailTest')}
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        dir="ltr"
        maxLength={254}
        required
        value={to}
        onChange={(event) => {
          setTo(event.target.value)
          setFailure(undefined)
          setSentTo('')
        }}
      >
        <Button type="submit" label={t`Send`} isInactive={isChanged} task={task} />
      </Field>
      {isChanged && <Hint>{t`Save the mail server first.`}</Hint>}
      {sentTo && <p role="status">{t`The mail server has accepted the message.`}</p>}
      {failure && (
        <p role="alert" className={styles.failure}>
          {failure.sentence}
          {failure.detail && (
            <span lang="en" dir="ltr">
              {failure.detail}
            </span>
          )}
        </p>
      )}
    </form>
  )
}

/** What the mail server has answered, in English; empty for errors that have a sentence only. */
function detailOf(error: unknown): string {
  return error instanceof ApiProblem && error.code.startsWith('mail.') ? error.message : ''
}
