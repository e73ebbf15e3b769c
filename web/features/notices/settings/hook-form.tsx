import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { WebhookView } from '#contract/notices/webhook.ts'
import { type ApiProblem, api } from '#web/api/client.ts'
import { FormWithErrors } from '#web/shared/forms/form-errors.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useUnsavedChanges } from '#web/shared/forms/unsaved.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Buttons, Check } from '#web/ui/form.tsx'

interface HookFormProps {
  webhook: WebhookView
  /** Called with the webhook as it is stored. */
  onChange(webhook: WebhookView): void
}

const put = (body: { url: string; enabled: boolean }) => api('PUT /api/webhook', { body })

/** The address of the webhook, and whether it is on. */
export function HookForm({ webhook, onChange }: HookFormProps) {
  const { t } = useLingui()
  const { field } = useSettingTexts()
  const [url, setUrl] = useState(webhook.url)
  // A new one is meant to be on.
  const [enabled, setEnabled] = useState(webhook.enabled || !webhook.url)
  const [refused, setRefused] = useState<ApiProblem>()
  const [task, setTask] = useState<Promise<boolean>>()
  const draft = { url, enabled }
  const save = async () => {
    setRefused(undefined)
    const isDone = await submitForm(
      t`Webhook saved.`,
      async () => {
        const saved = await put(draft)
        // The server may write the address in another way.
        markSaved({ url: saved.url, enabled: saved.enabled })
        setUrl(saved.url)
        onChange(saved)
      },
      setRefused,
    )
    return isDone
  }
  const markSaved = useUnsavedChanges({ name: t`Webhook`, draft, save })
  const remove = () =>
    submitForm(t`Webhook removed.`, async () => {
      const saved = await put({ url: '', enabled: false })
      markSaved(draft)
      onChange(saved)
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTask(save())
  }
  return (
    <FormWithErrors refused={refused} onSubmit={submit} onChange={() => setRefused(undefined)}>
      <Field
        {...field('profile.hookUrl')}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        dir="ltr"
        placeholder="https://"
        valuePath="url"
        maxLength={2048}
        required
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <Check {...field('profile.hookOn')} checked={enabled} onChange={setEnabled} />
      <Buttons>
        {webhook.url && <Button label={t`Remove webhook`} onClick={remove} />}
        <Button type="submit" variant="main" label={t`Save`} task={task} />
      </Buttons>
    </FormWithErrors>
  )
}
