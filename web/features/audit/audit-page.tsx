import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Info } from 'lucide-react'
import { type ReactNode, type Ref, useEffect, useMemo, useSyncExternalStore } from 'react'
import { useSnapshot } from 'valtio'
import type { AuditRecord } from '#contract/history/audit.ts'
import { auditExportAddress } from '#web/api/history/kept.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Hint } from '#web/ui/form.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import { useMoreLines } from '#web/ui/line-list.tsx'
import { saveAs } from '#web/ui/save-as.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import styles from './audit.module.css'
import { auditState, forgetAudit, loadAudit, loadMoreAudit } from './audit-state.ts'
import { FilterForm } from './filter-form.tsx'
import { auditAddress, type Filters, filtersIn } from './filters.ts'
import { RecordDialog } from './record-dialog.tsx'
import { RecordPaths } from './record-paths.tsx'
import { accountOf, kindText, outcomeText, timesOf } from './record-text.ts'

/** The audit log: filters, records and their export. */
export function AuditLogPage() {
  const { t } = useLingui()
  const search = useSearch()
  const filters = useMemo(() => filtersIn(search), [search])
  useEffect(() => void loadAudit(filters), [filters])
  useEffect(() => forgetAudit, [])
  const download = async (format: 'csv' | 'ndjson') => {
    try {
      saveAs(await auditExportAddress({ ...filters, format }))
    } catch (error) {
      showToast('error', problemMessage(error))
    }
  }
  return (
    <div className={styles.page} data-part="audit">
      <Card {...useSettingTexts().card('audit.records')}>
        <FilterForm filters={filters} />
        <Records filters={filters} />
        <Buttons>
          <Button label={t`Export as CSV`} onClick={() => download('csv')} />
          <Button label={t`Export as NDJSON`} onClick={() => download('ndjson')} />
        </Buttons>
        <Hint>
          <Trans>
            To check that no record was changed or removed, run <code>coffer audit verify</code> on the
            server.
          </Trans>
        </Hint>
      </Card>
    </div>
  )
}

/** The query of the address. The router dispatches events for its own changes of it. */
function useSearch(): string {
  return useSyncExternalStore(
    (changed) => {
      const events = ['popstate', 'pushState', 'replaceState']
      for (const event of events) addEventListener(event, changed)
      return () => {
        for (const event of events) removeEventListener(event, changed)
      }
    },
    () => location.search,
  )
}

interface RecordsProps {
  filters: Filters
}

function Records({ filters }: RecordsProps) {
  const { t } = useLingui()
  const { next, failure, isLoading } = useSnapshot(auditState)
  // A snapshot has the same records. Nothing below changes them.
  const records = useSnapshot(auditState).records as readonly AuditRecord[] | undefined
  const { ref, expectMore } = useMoreLines<HTMLTableSectionElement>(records?.length ?? 0)
  const retry = () => {
    expectMore()
    return records ? loadMoreAudit(filters) : loadAudit(filters)
  }
  return (
    <>
      {records && records.length > 0 && <RecordTable ref={ref} records={records} filters={filters} />}
      {records?.length === 0 && !failure && <p role="status">{t`No records match.`}</p>}
      {!records && !failure && <p role="status">{t`Loading…`}</p>}
      {failure && <p role="alert">{failure}</p>}
      {(failure || next !== undefined) && (
        <Buttons>
          <Button label={failure ? t`Try again` : t`Show more`} isInactive={isLoading} onClick={retry} />
        </Buttons>
      )}
    </>
  )
}

interface RecordTableProps extends RecordsProps {
  /** The part with the records. */
  ref: Ref<HTMLTableSectionElement>
  records: readonly AuditRecord[]
}

function RecordTable({ ref, records, filters }: RecordTableProps) {
  const { t } = useLingui()
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t`Time`}</th>
          <th scope="col">{t`Username`}</th>
          <th scope="col">{t`Action`}</th>
          <th scope="col">{t`Affected`}</th>
          <th scope="col">{t`Outcome`}</th>
          <th scope="col">{t`Address`}</th>
          <th scope="col">
            <span className="visually-hidden">{t`Details`}</span>
          </th>
        </tr>
      </thead>
      <tbody ref={ref}>
        {records.map((record) => (
          <RecordRow key={record.seq} record={record} filters={filters} />
        ))}
      </tbody>
    </table>
  )
}

interface RecordRowProps extends RecordsProps {
  record: AuditRecord
}

function RecordRow({ record, filters }: RecordRowProps) {
  const { t, i18n } = useLingui()
  const { seq, time, user, outcome, address } = record
  const date = formatDate(Date.parse(time), i18n.locale)
  const times = timesOf(record)
  return (
    <tr>
      <th scope="row">
        <time dateTime={time} data-tip={time}>
          {date}
        </time>
      </th>
      <td>
        <FilterLink filters={{ ...filters, user }} label={t`Only records of ${user}`} value={user} />
      </td>
      <td data-kind>
        {kindText(record)}
        {times > 1 && <Plural value={times} one=" (# time)" other=" (# times)" />}
      </td>
      <td>
        <RecordPaths record={record} most={1} />
        <bdi>{accountOf(record)}</bdi>
      </td>
      <td data-outcome={outcome}>{outcomeText(outcome)}</td>
      <td data-address>
        <FilterLink
          filters={{ ...filters, address }}
          label={t`Only records from ${address}`}
          value={address}
        />
      </td>
      <td>
        <Button
          variant="quiet"
          icon={Info}
          iconOnly
          label={t`Details of record ${seq}`}
          onClick={() => void ask(RecordDialog, { record })}
        />
      </td>
    </tr>
  )
}

interface FilterLinkProps {
  filters: Filters
  label: string
  /** Empty: there is nothing to show. */
  value: string
}

/** A value that is also a link to the records with this value. A long IPv6 address is broken at its colons. */
function FilterLink({ filters, label, value }: FilterLinkProps) {
  if (!value) return null
  return (
    <PageLink to={auditAddress(filters)} data-full={label}>
      <bdi>
        {value.split(/(?<=:)/).reduce<ReactNode>(
          (before, part) => (
            <>
              {before}
              <wbr />
              {part}
            </>
          ),
          '',
        )}
      </bdi>
    </PageLink>
  )
}
