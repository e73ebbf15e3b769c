import { Trans, useLingui } from '@lingui/react/macro'
import type { AuditRecord } from '#contract/history/audit.ts'
import { api } from '#web/api/client.ts'
import { usePages } from '#web/shared/pages/use-pages.ts'
import { Button } from '#web/ui/button.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import { lineList, useMoreLines } from '#web/ui/line-list.tsx'
import { RecordPaths } from './record-paths.tsx'
import { isOfVisitor, kindText, outcomeWithReason } from './record-text.ts'

const pageSize = 20

interface ActivityProps {
  /** Decoded. */
  path: string
}

/** What was done to a file, or to a folder and its content, the newest first. */
export function Activity({ path }: ActivityProps) {
  const { t } = useLingui()
  const { items: records, next, failure, isLoading, more } = useActivity(path)
  const { ref, expectMore } = useMoreLines<HTMLUListElement>(records?.length ?? 0)
  const showMore = () => {
    expectMore()
    return more()
  }
  return (
    <>
      {records?.length === 0 && <p className={lineList.detail}>{t`Nothing is recorded.`}</p>}
      <ul ref={ref} className={lineList.list}>
        {records?.map((record) => (
          <ActivityLine key={record.seq} record={record} path={path} />
        ))}
      </ul>
      {failure && <p role="alert">{failure}</p>}
      {!records && !failure && <p role="status">{t`Loading…`}</p>}
      {(next !== undefined || failure) && (
        <Button label={failure ? t`Try again` : t`Show more`} isInactive={isLoading} onClick={showMore} />
      )}
    </>
  )
}

function useActivity(path: string) {
  return usePages<AuditRecord>(path, async (before, options) => {
    const query = { limit: pageSize, ...(before !== undefined && { before }) }
    const page = await api('GET /api/activity/*', { params: { '*': path }, query }, options)
    return { items: page.records, next: page.next }
  })
}

interface ActivityLineProps {
  record: AuditRecord
  path: string
}

function ActivityLine({ record, path }: ActivityLineProps) {
  const { t, i18n } = useLingui()
  const { time, outcome, detail, paths } = record
  const user = record.user || (isOfVisitor(record) ? t`Visitor` : '')
  const date = formatDate(Date.parse(time), i18n.locale)
  // The path of the file itself says nothing new.
  const isItself =
    paths.length === 1 && paths[0]?.to === undefined && paths[0]?.path === path.replace(/\/$/, '')
  return (
    <li>
      <div>
        <p>
          {kindText(record)}
          {outcome !== 'done' && ` · ${outcomeWithReason(outcome, detail)}`}
        </p>
        {!isItself && <RecordPaths record={record} most={3} />}
        <p className={lineList.detail}>
          {user ? (
            <Trans>
              <bdi>{user}</bdi>, {date}
            </Trans>
          ) : (
            date
          )}
        </p>
      </div>
    </li>
  )
}
