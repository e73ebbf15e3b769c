import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { AuditPage, AuditRecord } from '#contract/history/audit.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
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
  const { records, next, failure, isLoading, more } = useActivity(path)
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

interface Loaded {
  records?: readonly AuditRecord[]
  next?: number | undefined
  failure?: string
  isLoading: boolean
}

function useActivity(path: string) {
  const [state, setState] = useState<Loaded>({ isLoading: true })
  const load = async (before: number | undefined, signal?: AbortSignal) => {
    setState(({ failure: _, ...known }) => ({ ...known, isLoading: true }))
    try {
      const query = { limit: pageSize, ...(before !== undefined && { before }) }
      const page = await api(
        'GET /api/activity/*',
        { params: { '*': path }, query },
        signal ? { signal } : {},
      )
      if (!signal?.aborted)
        setState(({ records }) => added(before === undefined ? [] : (records ?? []), page))
    } catch (error) {
      if (!signal?.aborted)
        setState((known) => ({ ...known, failure: problemMessage(error), isLoading: false }))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads again only for another path.
  useEffect(() => {
    const controller = new AbortController()
    void load(undefined, controller.signal)
    return () => controller.abort()
  }, [path])
  return { ...state, more: () => load(state.next) }
}

function added(before: readonly AuditRecord[], { records, next }: AuditPage): Loaded {
  return { records: [...before, ...records], next, isLoading: false }
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
