import { useLingui } from '@lingui/react/macro'
import type { AuditSettings, RecordedDownloads } from '#contract/history/audit.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Card, Select } from '#web/ui/form.tsx'
import { NumberField } from './keeping-card.tsx'

interface AuditCardProps {
  /** Undefined: never changed, so the defaults hold. */
  audit: AuditSettings | undefined
  onChange(audit: AuditSettings): void
}

// As `defaultAudit` of the server, from which the page imports no values.
const defaults: AuditSettings = { days: 365, megabytes: 1024 }

/** Settings of the audit log. */
export function AuditCard({ audit = defaults, onChange }: AuditCardProps) {
  const { t } = useLingui()
  const { field, card } = useSettingTexts()
  const downloads: (readonly [RecordedDownloads, string])[] = [
    ['none', t`None`],
    ['links', t`Visits and downloads of links`],
    ['all', t`Also downloads of users`],
  ]
  return (
    <Card {...card('global.audit')}>
      <NumberField
        {...field('global.auditDays')}
        valuePath="audit.days"
        min={1}
        max={36500}
        value={audit.days}
        onValue={(days) => onChange({ ...audit, days })}
      />
      <NumberField
        {...field('global.auditMegabytes')}
        valuePath="audit.megabytes"
        min={1}
        max={1024 * 1024}
        value={audit.megabytes}
        onValue={(megabytes) => onChange({ ...audit, megabytes })}
      />
      <Select
        {...field('global.auditDownloads')}
        choices={downloads}
        value={audit.downloads ?? 'links'}
        onChange={(chosen) => onChange({ ...audit, downloads: chosen })}
      />
    </Card>
  )
}
