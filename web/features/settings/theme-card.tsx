import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { Preferences } from '#contract/users.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { savePreferences } from '#web/shared/save-preferences.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Select } from '#web/ui/form.tsx'

interface ThemeCardProps {
  /** Undefined when the token is older than this setting. */
  theme: Preferences['theme'] | undefined
}

/** The user's theme, which applies on every device. It takes effect at once. */
export function ThemeCard({ theme = '' }: ThemeCardProps) {
  const { t } = useLingui()
  /** Undefined when the user has selected none. */
  const [choice, setChoice] = useState<Preferences['theme']>()
  const [task, setTask] = useState<Promise<boolean>>()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const isDone = await submitForm(t`Settings updated!`, () => savePreferences({ theme: choice ?? theme }))
    if (isDone) setChoice(undefined)
    return isDone
  }
  return (
    <Card title={t`Theme`}>
      <form onSubmit={(event) => setTask(save(event))}>
        <Select<Preferences['theme']>
          label={t`Theme`}
          value={choice ?? theme}
          onChange={setChoice}
          choices={[
            ['', t`Server default`],
            ['light', t`Light`],
            ['dark', t`Dark`],
            ['auto', t`Match device`],
          ]}
        />
        <Buttons>
          <Button type="submit" variant="main" label={t`Update`} task={task} />
        </Buttons>
      </form>
    </Card>
  )
}
