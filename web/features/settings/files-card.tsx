import { useLingui } from '@lingui/react/macro'
import type { Preferences } from '#contract/users.ts'
import { Card, Check, Select } from '#web/ui/form.tsx'

type Switches = Pick<Preferences, 'singleClick' | 'dateFormat' | 'hideDotfiles' | 'redirectAfterCopyMove'>
type Habits = Switches & Pick<Preferences, 'density' | 'sizeUnit' | 'dateStyle' | 'rememberViews'>

interface FilesCardProps {
  habits: Habits
  onChange(change: Partial<Preferences>): void
}

/** How the user sees files and folders (contract/README.md#users-and-settings). */
export function FilesCard({ habits, onChange }: FilesCardProps) {
  const { t } = useLingui()
  const names: [keyof Switches | 'rememberViews', string][] = [
    ['singleClick', t`Open with a single click`],
    ['dateFormat', t`Show exact dates`],
    ['hideDotfiles', t`Hide names that begin with a dot`],
    ['redirectAfterCopyMove', t`Open the destination folder after creating, moving or copying`],
    ['rememberViews', t`Remember view and order for each folder`],
  ]
  return (
    <Card title={t`Files`}>
      <div>
        {names.map(([name, label]) => (
          <Check
            key={name}
            label={label}
            checked={habits[name] ?? false}
            onChange={(isOn) => onChange({ [name]: isOn })}
          />
        ))}
      </div>
      <Select
        label={t`Row height`}
        value={habits.density ?? 'comfortable'}
        onChange={(density) => onChange({ density })}
        choices={[
          ['comfortable', t`Comfortable`],
          ['compact', t`Compact`],
        ]}
      />
      <Select
        label={t`Sizes`}
        value={habits.sizeUnit ?? 'binary'}
        onChange={(sizeUnit) => onChange({ sizeUnit })}
        choices={[
          ['binary', t`1 KB is 1024 bytes`],
          ['decimal', t`1 kB is 1000 bytes`],
        ]}
      />
      <Select
        label={t`Dates`}
        value={habits.dateStyle ?? ''}
        onChange={(dateStyle) => onChange({ dateStyle })}
        choices={[
          ['', t`As usual in the language`],
          ['iso', '2026-06-15 12:00'],
        ]}
      />
    </Card>
  )
}
