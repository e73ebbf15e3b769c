import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { Preferences } from '#contract/users.ts'
import { attempt } from '#web/app/attempt.ts'
import { activateLanguage } from '#web/app/i18n.ts'
import { LanguageSelect } from '#web/app/language-select.tsx'
import { savePreferences } from '#web/app/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'

interface LanguageCardProps {
  locale: Preferences['locale']
}

/** The person's language, on every device; it takes effect at once. */
export function LanguageCard({ locale }: LanguageCardProps) {
  const { t } = useLingui()
  const [wished, setWished] = useState(locale)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    await attempt(t`Settings updated!`, async () => {
      await savePreferences({ locale: wished })
      await activateLanguage(wished)
    })
  }
  return (
    <Card title={t`Language`}>
      <form onSubmit={save}>
        <LanguageSelect value={wished} onChange={(value) => setWished(value as typeof wished)} />
        <Buttons>
          <Button type="submit" look="main" label={t`Update`} />
        </Buttons>
      </form>
    </Card>
  )
}
