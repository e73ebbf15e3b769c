import { Plural, Trans } from '@lingui/react/macro'
import type { AuditRecord } from '#contract/history/audit.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { timesOf } from './record-text.ts'

interface RecordPathsProps {
  record: Pick<AuditRecord, 'kind' | 'count'> & { paths: readonly Readonly<AuditRecord['paths'][number]>[] }
  /** Maximum number of paths. The rest is shown as a number. */
  most: number
}

/** The paths of a record, each with where it went. */
export function RecordPaths({ record, most }: RecordPathsProps) {
  const { paths, count } = record
  const shown = paths
    .slice(0, most)
    .map(({ path, to }) => ({ path: shownName(path), to: to === undefined ? undefined : shownName(to) }))
  // Many equal events are one record, with the path of the last one.
  const rest = timesOf(record) > 1 ? 0 : count - shown.length
  return (
    <>
      {shown.map(({ path, to }) => (
        <span key={`${path}\n${to}`} style={{ display: 'block' }}>
          {to === undefined ? (
            <bdi>{path}</bdi>
          ) : (
            <Trans>
              <bdi>{path}</bdi> to <bdi>{to}</bdi>
            </Trans>
          )}
        </span>
      ))}
      {rest > 0 && shown.length > 0 && <Plural value={rest} one="and # more" other="and # more" />}
    </>
  )
}
