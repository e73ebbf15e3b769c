import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { Preferences } from '#contract/users.ts'
import { LanguageSelect } from '#web/shared/forms/language-select.tsx'
import { activateLanguage } from '#web/shared/i18n.ts'
import { savePreferences } from '#web/shared/session.ts'
import { submitForm } from '#web/shared/submit.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'

interface LanguageCardProps {
  locale: Preferences['locale']
}

/** The person's language, on every device; it takes effect at once. */
export function LanguageCard({ locale }: LanguageCardProps) {
  const { t } = useLingui()
  /** Undefined: no other than the one that holds. */
  const [choice, setChoice] = useState<Preferences['locale']>()
  const [task, setTask] = useState<Promise<boolean>>()
  const wished = choice ?? locale
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const isDone = await submitForm(t`Settings updated!`, async () => {
      await savePreferences({ locale: wished })
      await activateLanguage(wished)
    })
    if (isDone) setChoice(undefined)
    return isDone
  }
  return (
    <Card title={t`Language`}>
      <form onSubmit={(event) => setTask(save(event))}>
        <LanguageSelect value={wished} onChange={(value) => setChoice(value as typeof wished)} />
        <Buttons>
          <Button type="submit" look="main" label={t`Update`} task={task} />
        </Buttons>
      </form>
    </Card>
  )
}
