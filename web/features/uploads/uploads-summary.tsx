import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { formatDuration } from '#web/ui/format/duration.ts'
import { formatSize } from '#web/ui/format/format.ts'
import { isUnfinished, type UploadJob, uploads } from './queue/uploads-state.ts'
import styles from './uploads-panel.module.css'

/** The total progress: exact numbers on the screen, steps of 25 % for screen readers. */
export function UploadsSummary() {
  const { t, i18n } = useLingui()
  const { jobs, isActive, sent, total, rate } = useSnapshot(uploads)
  const isSaid = isActive || jobs.some(({ status }) => status === 'failed')
  const quarter = total > 0 ? Math.floor((sent / total) * 4) * 25 : 0
  const left = rate ? formatDuration((total - sent) / rate, i18n.locale) : undefined
  return (
    <div className={styles.summary}>
      {/* The end is said by the notice with Undo. */}
      <div role={isSaid ? 'status' : undefined}>
        <h2>
          <Heading />
        </h2>
        {isActive && quarter > 0 && <span className="visually-hidden">{t`${quarter}% uploaded`}</span>}
      </div>
      {isActive && (
        <p>
          <Trans>
            {formatSize(sent, i18n.locale)} of {formatSize(total, i18n.locale)}
          </Trans>
          {rate !== undefined && <> · {t`${formatSize(rate, i18n.locale)}/s`}</>}
        </p>
      )}
      {isActive && left !== undefined && <p>{t`${left} left`}</p>}
    </div>
  )
}

/** What happens to the uploads, or what has happened to them. */
function Heading() {
  const { t } = useLingui()
  const { jobs, isActive, hold } = useSnapshot(uploads)
  const having = (...all: UploadJob['status'][]) => jobs.filter(({ status }) => all.includes(status))
  const numberOf = (some: readonly UploadJob[]) => some.filter(isFile).length || some.length
  const unfinished = jobs.filter(isUnfinished)
  const paused = numberOf(unfinished)
  if (isActive && (hold || unfinished.every(({ status }) => status === 'paused')))
    return <Plural value={paused} one="# upload paused" other="# uploads paused" />
  if (isActive) {
    const coming = numberOf([...unfinished, ...having('done', 'failed')])
    return <Plural value={coming} one="Uploading # file" other="Uploading # files" />
  }
  const failed = having('failed').length
  if (failed > 0) return <Plural value={failed} one="# upload failed" other="# uploads failed" />
  const done = having('done')
  if (done.length > 0) return <Uploaded jobs={done} />
  const canceled = numberOf(having('cancelled'))
  if (canceled === 0) return t`Nothing was uploaded`
  return <Plural value={canceled} one="Upload canceled" other="# uploads canceled" />
}

const isFile = ({ path }: Pick<UploadJob, 'path'>) => !path.endsWith('/')

/** How many files and folders have been uploaded. */
function Uploaded({ jobs }: { jobs: readonly UploadJob[] }) {
  const files = jobs.filter(isFile)
  const folders = jobs.length - files.length
  if (folders === 0) return <Plural value={files.length} one="# file uploaded" other="# files uploaded" />
  if (files.length === 0) return <Plural value={folders} one="# folder uploaded" other="# folders uploaded" />
  return (
    <Trans>
      <Plural value={files.length} one="# file" other="# files" /> and{' '}
      <Plural value={folders} one="# folder" other="# folders" /> uploaded
    </Trans>
  )
}
