import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { SharingPolicy } from '#contract/shares.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Field } from '#web/ui/field.tsx'
import { Card, Check, Select } from '#web/ui/form.tsx'

interface SharingCardProps {
  sharing: SharingPolicy
  onChange(change: Partial<SharingPolicy>): void
}

/** What users may do with links. */
export function SharingCard({ sharing, onChange }: SharingCardProps) {
  const { t } = useLingui()
  const { field, card } = useSettingTexts()
  const [isEmpty, setEmpty] = useState(false)
  return (
    <Card {...card('global.sharing')}>
      <Select<SharingPolicy['who']>
        {...field('global.sharingWho')}
        value={sharing.who}
        choices={[
          ['permitted', t`Users with the permission to share`],
          ['administrators', t`Only administrators`],
        ]}
        onChange={(who) => onChange({ who })}
      />
      <Check
        {...field('global.sharingPassword')}
        checked={sharing.password}
        onChange={(password) => onChange({ password })}
      />
      <Check
        {...field('global.sharingUploads')}
        checked={sharing.uploads}
        onChange={(uploads) => onChange({ uploads })}
      />
      <Field
        {...field('global.sharingLongest')}
        type="number"
        valuePath="sharing.longest"
        required
        min={0}
        max={36_500}
        value={isEmpty ? '' : sharing.longest}
        onChange={({ target: { valueAsNumber } }) => {
          // An empty field is not saved: the browser asks for a value.
          setEmpty(Number.isNaN(valueAsNumber))
          if (!Number.isNaN(valueAsNumber)) onChange({ longest: valueAsNumber })
        }}
      />
    </Card>
  )
}
