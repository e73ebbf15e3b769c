import { useLingui } from '@lingui/react/macro'
import type { AuditRecord } from '#contract/history/audit.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { LaterDialog, LaterDialogButtons } from '#web/overlays/later-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import styles from '#web/ui/facts.module.css'
import { formatNumber } from '#web/ui/format/format.ts'
import { regionalTag } from '#web/ui/format/region.ts'
import { RecordPaths } from './record-paths.tsx'
import { detailText, kindText, outcomeText } from './record-text.ts'

interface Question {
  record: AuditRecord
}

/** Everything that a record of the audit log contains. */
export function RecordDialog({ question: { record }, close }: AskProps<Question, never>) {
  const { t, i18n } = useLingui()
  const { seq, time, user, kind, outcome, address, operation, paths, detail } = record
  const explained = detailText(detail)
  const options = { dateStyle: 'full', timeStyle: 'long' } as const
  const fullTime = new Intl.DateTimeFormat(regionalTag(i18n.locale), options)
  const facts = [
    [t`Number`, formatNumber(seq, i18n.locale)],
    [t`Time`, fullTime.format(Date.parse(time))],
    [t`Username`, user && <bdi>{user}</bdi>],
    [t`Address`, address],
    [t`Action`, kindText({ kind, outcome })],
    [t`Outcome`, outcomeText(outcome)],
    [t`Details`, explained === detail ? detail : `${explained} (${detail})`],
    [t`Operation ID`, operation && <code>{operation}</code>],
    [t`Paths`, paths.length > 0 && <RecordPaths record={record} most={paths.length} />],
  ] as const
  return (
    <LaterDialog title={t`Record`} isWide onClose={close}>
      <dl className={styles.facts}>
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <LaterDialogButtons>
        <Button variant="main" label={t`Close`} onClick={() => close()} autoFocus />
      </LaterDialogButtons>
    </LaterDialog>
  )
}
