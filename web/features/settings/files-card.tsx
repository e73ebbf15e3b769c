import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { Preferences } from '#contract/users.ts'
import { announceChange } from '#web/shared/changes.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { savePreferences } from '#web/shared/save-preferences.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Check, Select } from '#web/ui/form.tsx'

type Switches = Pick<Preferences, 'singleClick' | 'dateFormat' | 'hideDotfiles' | 'redirectAfterCopyMove'>
type Habits = Switches & Pick<Preferences, 'density' | 'sizeUnit' | 'dateStyle' | 'rememberViews'>

interface FilesCardProps {
  habits: Habits
}

/** The user's view settings, which apply on every device (contract/README.md#users-and-settings). */
export function FilesCard({ habits }: FilesCardProps) {
  const { singleClick, dateFormat, hideDotfiles, redirectAfterCopyMove } = habits
  const { density = 'comfortable', sizeUnit = 'binary', dateStyle = '', rememberViews = false } = habits
  const { t } = useLingui()
  const [draft, setDraft] = useState({
    ...{ singleClick, dateFormat, hideDotfiles, redirectAfterCopyMove },
    ...{ density, sizeUnit, dateStyle, rememberViews },
  })
  const [task, setTask] = useState<Promise<boolean>>()
  const names: [keyof Switches | 'rememberViews', string][] = [
    ['singleClick', t`Open with a single click`],
    ['dateFormat', t`Show exact dates`],
    ['hideDotfiles', t`Hide names that begin with a dot`],
    ['redirectAfterCopyMove', t`Open the destination folder after creating, moving or copying`],
    ['rememberViews', t`Remember view and order for each folder`],
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
        <Select
          label={t`Row height`}
          value={draft.density}
          onChange={(density) => setDraft({ ...draft, density })}
          choices={[
            ['comfortable', t`Comfortable`],
            ['compact', t`Compact`],
          ]}
        />
        <Select
          label={t`Sizes`}
          value={draft.sizeUnit}
          onChange={(sizeUnit) => setDraft({ ...draft, sizeUnit })}
          choices={[
            ['binary', t`1 KB is 1024 bytes`],
            ['decimal', t`1 kB is 1000 bytes`],
          ]}
        />
        <Select
          label={t`Dates`}
          value={draft.dateStyle}
          onChange={(dateStyle) => setDraft({ ...draft, dateStyle })}
          choices={[
            ['', t`As usual in the language`],
            ['iso', '2026-06-15 12:00'],
          ]}
        />
        <Buttons>
          <Button type="submit" variant="main" label={t`Update`} task={task} />
        </Buttons>
      </form>
    </Card>
  )
}
