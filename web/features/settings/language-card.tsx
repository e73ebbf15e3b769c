import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { Preferences } from '#contract/users.ts'
import { LanguageSelect } from '#web/shared/forms/language-select.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { activateLanguage } from '#web/shared/i18n.ts'
import { savePreferences } from '#web/shared/save-preferences.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'

interface LanguageCardProps {
  locale: Preferences['locale']
}

/** The user's language, which applies on every device. It takes effect at once. */
export function LanguageCard({ locale }: LanguageCardProps) {
  const { t } = useLingui()
  /** Undefined when the user has selected none. */
  const [choice, setChoice] = useState<Preferences['locale']>()
  const [task, setTask] = useState<Promise<boolean>>()
  const selected = choice ?? locale
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const isDone = await submitForm(t`Settings updated!`, async () => {
      await savePreferences({ locale: selected })
      await activateLanguage(selected)
    })
    if (isDone) setChoice(undefined)
    return isDone
  }
  return (
    <Card title={t`Language`}>
      <form onSubmit={(event) => setTask(save(event))}>
        <LanguageSelect value={selected} onChange={(value) => setChoice(value as typeof selected)} />
        <Buttons>
          <Button type="submit" variant="main" label={t`Update`} task={task} />
        </Buttons>
      </form>
    </Card>
  )
}
