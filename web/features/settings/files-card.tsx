import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { Preferences } from '#contract/users.ts'
import { announceChange } from '#web/shared/changes.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { savePreferences } from '#web/shared/save-preferences.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Check } from '#web/ui/form.tsx'

type Habits = Pick<Preferences, 'singleClick' | 'dateFormat' | 'hideDotfiles' | 'redirectAfterCopyMove'>

interface FilesCardProps {
  habits: Habits
}

/** The user's view settings, which apply on every device (contract/README.md#users-and-settings). */
export function FilesCard({ habits }: FilesCardProps) {
  const { singleClick, dateFormat, hideDotfiles, redirectAfterCopyMove } = habits
  const { t } = useLingui()
  const [draft, setDraft] = useState({ singleClick, dateFormat, hideDotfiles, redirectAfterCopyMove })
  const [task, setTask] = useState<Promise<boolean>>()
  const names: [keyof Habits, string][] = [
    ['singleClick', t`Open with a single click`],
    ['dateFormat', t`Show exact dates`],
    ['hideDotfiles', t`Hide names that begin with a dot`],
    ['redirectAfterCopyMove', t`Open the destination folder after creating, moving or copying`],
  ]
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const isDone = await submitForm(t`Settings updated!`, () => savePreferences(draft))
    // Hidden names change in every folder.
    if (isDone) announceChange(undefined)
    return isDone
  }
  return (
    <Card title={t`Files`}>
      <form onSubmit={(event) => setTask(save(event))}>
        <div>
          {names.map(([name, label]) => (
            <Check
              key={name}
              label={label}
              checked={draft[name]}
              onChange={(isOn) => setDraft({ ...draft, [name]: isOn })}
            />
          ))}
        </div>
        <Buttons>
          <Button type="submit" variant="main" label={t`Update`} task={task} />
        </Buttons>
      </form>
    </Card>
  )
}
