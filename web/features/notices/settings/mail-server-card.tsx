import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { MailSettingsView } from '#contract/notices/mail.ts'
import { type ApiProblem, api } from '#web/api/client.ts'
import { FormWithErrors } from '#web/shared/forms/form-errors.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useUnsavedChanges } from '#web/shared/forms/unsaved.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'
import { MailServerFields } from './mail-server-fields.tsx'
import { MailTest } from './mail-test.tsx'
import { NotLoaded } from './not-loaded.tsx'
import { useLoaded } from './use-loaded.ts'

const request = () => api('GET /api/settings/mail')

/** The mail server of the instance, for administrators. */
export function MailServerCard() {
  const { card } = useSettingTexts()
  const { value, failure, setValue, load } = useLoaded(request)
  return (
    <Card {...card('global.mail')}>
      {value ? (
        <MailServerForm stored={value} onSaved={setValue} />
      ) : (
        <NotLoaded failure={failure} onRetry={load} />
      )}
    </Card>
  )
}

interface MailServerFormProps {
  stored: MailSettingsView
  onSaved(stored: MailSettingsView): void
}

function MailServerForm({ stored, onSaved }: MailServerFormProps) {
  const { t } = useLingui()
  const [draft, setDraft] = useState({ ...stored, password: '' })
  const [refused, setRefused] = useState<ApiProblem>()
  const [task, setTask] = useState<Promise<boolean>>()
  const save = async () => {
    setRefused(undefined)
    const { password, hasPassword: _view, ...rest } = draft
    return submitForm(
      t`Mail server saved.`,
      async (proof) => {
        // The stored password is unknown here. Without one in the request, it stays.
        const body = { ...rest, ...(password && { password }), ...proof }
        const saved = await api('PUT /api/settings/mail', { body })
        const next = { ...saved, password: '' }
        setDraft(next)
        markSaved(next)
        onSaved(saved)
      },
      setRefused,
    )
  }
  const markSaved = useUnsavedChanges({ name: t`Mail server`, draft, save })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTask(save())
  }
  const isChanged = JSON.stringify(draft) !== JSON.stringify({ ...stored, password: '' })
  return (
    <>
      <FormWithErrors refused={refused} onSubmit={submit} onChange={() => setRefused(undefined)}>
        <MailServerFields
          stored={stored}
          draft={draft}
          onChange={(change) => setDraft({ ...draft, ...change })}
        />
        <Buttons>
          <Button type="submit" variant="main" label={t`Save mail server`} task={task} />
        </Buttons>
      </FormWithErrors>
      {stored.host && <MailTest isChanged={isChanged} />}
    </>
  )
}
