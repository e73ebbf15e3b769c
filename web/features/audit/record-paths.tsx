import { Plural, Trans } from '@lingui/react/macro'
import type { AuditRecord } from '#contract/history/audit.ts'
import { shownName } from '#web/ui/format/shown-name.ts'

interface RecordPathsProps {
  record: Pick<AuditRecord, 'count'> & { paths: readonly Readonly<AuditRecord['paths'][number]>[] }
  /** Maximum number of paths. The rest is shown as a number. */
  most: number
}

/** The paths of a record, each with where it went. */
export function RecordPaths({ record: { paths, count }, most }: RecordPathsProps) {
  const shown = paths
    .slice(0, most)
    .map(({ path, to }) => ({ path: shownName(path), to: to === undefined ? undefined : shownName(to) }))
  const rest = count - shown.length
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
