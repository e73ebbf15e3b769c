import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { formatDuration } from '#web/ui/format/duration.ts'
import { formatSize } from '#web/ui/format/format.ts'
import { type UploadJob, uploads } from './queue/uploads-state.ts'
import styles from './uploads-panel.module.css'

/** The total progress: exact numbers on the screen, steps of 25 % for screen readers. */
export function UploadsSummary() {
  const { t, i18n } = useLingui()
  const { jobs, isActive, sent, total, rate } = useSnapshot(uploads)
  const count = (status: UploadJob['status']) => jobs.filter((job) => job.status === status).length
  const failed = count('failed')
  const wanted = jobs.filter(({ status }) => status !== 'skipped' && status !== 'cancelled')
  const coming = wanted.filter(isFile).length || wanted.length
  const quarter = total > 0 ? Math.floor((sent / total) * 4) * 25 : 0
  const left = rate ? formatDuration((total - sent) / rate, i18n.locale) : undefined
  return (
    <div className={styles.summary}>
      {/* The end is said by the notice with Undo. */}
      <div role={isActive || failed > 0 ? 'status' : undefined}>
        <h2>
          {isActive ? (
            <Plural value={coming} one="Uploading # file" other="Uploading # files" />
          ) : failed > 0 ? (
            <Plural value={failed} one="# upload failed" other="# uploads failed" />
          ) : (
            <Uploaded jobs={jobs.filter(({ status }) => status === 'done')} />
          )}
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
