import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { KeepingSettings } from '#contract/history/kept.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Field } from '#web/ui/field.tsx'
import { Card, Check, Group, TextArea } from '#web/ui/form.tsx'

interface KeepingCardProps {
  keeping: KeepingSettings
  onChange(change: Partial<KeepingSettings>): void
}

const megabyte = 1024 * 1024

/** Settings of the trash and of versions. */
export function KeepingCard({ keeping, onChange }: KeepingCardProps) {
  const { t } = useLingui()
  const { field, card, group } = useSettingTexts()
  // The text of the field: an empty line that is just being typed must not vanish.
  const [folders, setFolders] = useState(keeping.withoutVersions.join('\n'))
  const number = (name: 'days' | 'share' | 'userShare', [min, max]: [number, number]) => (
    <NumberField
      {...field(`global.${name}`)}
      valuePath={`keeping.${name}`}
      min={min}
      max={max}
      value={keeping[name]}
      onValue={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <Card {...card('global.keeping')}>
      <Check {...field('global.trash')} checked={keeping.trash} onChange={(trash) => onChange({ trash })} />
      {number('days', [1, 3650])}
      <Check
        {...field('global.versions')}
        checked={keeping.versions}
        onChange={(versions) => onChange({ versions })}
      />
      <NumberField
        {...field('global.versionSize')}
        valuePath="keeping.versionSize"
        min={0}
        max={Math.floor(Number.MAX_SAFE_INTEGER / megabyte)}
        step="any"
        value={keeping.versionSize / megabyte}
        onValue={(value) => onChange({ versionSize: Math.round(value * megabyte) })}
      />
      <Group label={t`Folders without versions`}>
        <TextArea
          {...field('global.withoutVersions')}
          at="keeping.withoutVersions"
          dir="ltr"
          value={folders}
          onChange={(text) => {
            setFolders(text)
            onChange({ withoutVersions: linesIn(text) })
          }}
        />
      </Group>
      <Group {...group('global.space')}>
        {number('share', [0, 90])}
        {number('userShare', [0, 90])}
      </Group>
    </Card>
  )
}

function linesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

interface NumberFieldProps {
  label: string
  help: string | undefined
  'data-setting': string
  valuePath: string
  min: number
  max: number
  step?: 'any'
  value: number
  onValue(value: number): void
}

/** A number. An empty field is not saved: the browser asks for a value. */
export function NumberField({ value, onValue, step, ...rest }: NumberFieldProps) {
  const [isEmpty, setEmpty] = useState(false)
  return (
    <Field
      type="number"
      required
      {...rest}
      {...(step && { step })}
      value={isEmpty ? '' : value}
      onChange={({ target: { valueAsNumber } }) => {
        setEmpty(Number.isNaN(valueAsNumber))
        if (!Number.isNaN(valueAsNumber)) onValue(valueAsNumber)
      }}
    />
  )
}
