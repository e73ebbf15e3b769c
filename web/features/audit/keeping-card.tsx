import { useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import type { KeepingSettings } from '#contract/history/kept.ts'
import { Field } from '#web/ui/field.tsx'
import { Card, Check, Group, Hint, TextArea } from '#web/ui/form.tsx'

interface KeepingCardProps {
  keeping: KeepingSettings
  onChange(change: Partial<KeepingSettings>): void
}

const megabyte = 1024 * 1024

/** Settings of the trash and of versions. */
export function KeepingCard({ keeping, onChange }: KeepingCardProps) {
  const { t } = useLingui()
  const id = useId()
  // The text of the field: an empty line that is just being typed must not vanish.
  const [folders, setFolders] = useState(keeping.withoutVersions.join('\n'))
  const number = (name: 'days' | 'share' | 'userShare', label: string, [min, max]: [number, number]) => (
    <NumberField
      label={label}
      valuePath={`keeping.${name}`}
      min={min}
      max={max}
      value={keeping[name]}
      onValue={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <Card title={t`Trash and versions`}>
      <Check
        label={t`Move deleted items to the trash`}
        checked={keeping.trash}
        onChange={(trash) => onChange({ trash })}
      />
      {number('days', t`Days in the trash`, [1, 3650])}
      <Check
        label={t`Keep the old content of changed files as versions`}
        checked={keeping.versions}
        onChange={(versions) => onChange({ versions })}
      />
      <NumberField
        label={t`Largest file with versions, in MB (0: no limit)`}
        valuePath="keeping.versionSize"
        min={0}
        max={Math.floor(Number.MAX_SAFE_INTEGER / megabyte)}
        step="any"
        value={keeping.versionSize / megabyte}
        onValue={(value) => onChange({ versionSize: Math.round(value * megabyte) })}
      />
      <Group label={t`Folders without versions`}>
        <TextArea
          label={t`Folders without versions`}
          at="keeping.withoutVersions"
          dir="ltr"
          aria-describedby={`${id}f`}
          value={folders}
          onChange={(text) => {
            setFolders(text)
            onChange({ withoutVersions: linesIn(text) })
          }}
        />
        <Hint
          id={`${id}f`}
        >{t`One folder per line, relative to the served folder, for example /cache.`}</Hint>
      </Group>
      <Group label={t`Space for the trash and versions`}>
        {number('share', t`Of each disk, in percent`, [0, 90])}
        {number('userShare', t`Of each disk for one user, in percent`, [0, 90])}
        <Hint>{t`When this space is used up, the oldest are deleted first.`}</Hint>
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
