import { useLingui } from '@lingui/react/macro'
import type { Preferences } from '#contract/users.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Card, Check, Select } from '#web/ui/form.tsx'

const switches = [
  'singleClick',
  'dateFormat',
  'hideDotfiles',
  'redirectAfterCopyMove',
  'askBeforeTrash',
  'rememberViews',
] as const
type Habits = Pick<Preferences, (typeof switches)[number] | 'density' | 'sizeUnit' | 'dateStyle' | 'firstDay'>

interface FilesCardProps {
  habits: Habits
  onChange(change: Partial<Preferences>): void
}

/** How the user sees files and folders (contract/README.md#users-and-settings). */
export function FilesCard({ habits, onChange }: FilesCardProps) {
  const { t } = useLingui()
  const { field, card } = useSettingTexts()
  return (
    <Card {...card('profile.files')}>
      <div>
        {switches.map((name) => (
          <Check
            key={name}
            {...field(`profile.${name}`)}
            checked={habits[name] ?? false}
            onChange={(isOn) => onChange({ [name]: isOn })}
          />
        ))}
      </div>
      <Select
        {...field('profile.density')}
        value={habits.density ?? 'comfortable'}
        onChange={(density) => onChange({ density })}
        choices={[
          ['comfortable', t`Comfortable`],
          ['compact', t`Compact`],
        ]}
      />
      <Select
        {...field('profile.sizeUnit')}
        value={habits.sizeUnit ?? 'binary'}
        onChange={(sizeUnit) => onChange({ sizeUnit })}
        choices={[
          ['binary', t`1 KB is 1024 bytes`],
          ['decimal', t`1 kB is 1000 bytes`],
        ]}
      />
      <Select
        {...field('profile.dateStyle')}
        value={habits.dateStyle ?? ''}
        onChange={(dateStyle) => onChange({ dateStyle })}
        choices={[
          ['', t`As usual in the language`],
          ['iso', '2026-06-15 12:00'],
        ]}
      />
      <Select
        {...field('profile.firstDay')}
        value={habits.firstDay ?? ''}
        onChange={(firstDay) => onChange({ firstDay })}
        choices={[
          ['', t`Automatic by language`],
          ['monday', t`Monday`],
          ['saturday', t`Saturday`],
          ['sunday', t`Sunday`],
        ]}
      />
    </Card>
  )
}
