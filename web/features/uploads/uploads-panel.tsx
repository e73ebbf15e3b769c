import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Check, ChevronDown, ChevronUp, CircleAlert, RotateCw, X } from 'lucide-react'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { VList } from 'virtua'
import { problemText } from '#web/api/problem-text.ts'
import { nameOf } from '#web/app/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { formatSize } from '#web/ui/format.ts'
import { Name } from '#web/ui/name.tsx'
import styles from './uploads-panel.module.css'
import { cancel, cancelAll, clear, retry } from './uploads-queue.ts'
import { type Job, uploads } from './uploads-state.ts'

/** What is being uploaded, in the lower corner; the page stays usable. */
export function UploadsPanel() {
  const { t } = useLingui()
  const { jobs, active, folded, sent, total } = useSnapshot(uploads)
  useWarning(active)
  if (jobs.length === 0) return null
  const percent = total > 0 ? Math.floor((sent / total) * 100) : 0
  return (
    <section className={styles.panel} aria-label={t`Uploads`} data-part="uploads">
      <header>
        <Summary />
        <Button
          look="quiet"
          icon={folded ? ChevronUp : ChevronDown}
          iconOnly
          label={folded ? t`Show the uploads` : t`Fold the uploads`}
          aria-expanded={!folded}
          onClick={() => {
            uploads.folded = !folded
          }}
        />
        <Button
          look="quiet"
          icon={X}
          iconOnly
          label={active ? t`Cancel all uploads` : t`Close the uploads`}
          onClick={active ? cancelAll : clear}
        />
      </header>
      <progress value={percent} max={100} aria-label={t`All uploads`} data-done={!active || undefined} />
      {!folded && (
        <VList style={{ blockSize: Math.min(jobs.length, 5) * 52 }} itemSize={52} data={jobs}>
          {(job) => <Line key={job.id} job={job} />}
        </VList>
      )}
    </section>
  )
}

function Summary() {
  const { t, i18n } = useLingui()
  const { jobs, active, sent, total, rate } = useSnapshot(uploads)
  const count = (status: Job['status']) => jobs.filter((job) => job.status === status).length
  const failed = count('failed')
  return (
    <div className={styles.summary}>
      <div role="status">
        <h2>
          {active ? (
            <Plural value={jobs.length} one="Uploading # file" other="Uploading # files" />
          ) : failed > 0 ? (
            <Plural value={failed} one="# upload failed" other="# uploads failed" />
          ) : (
            <Plural value={count('done')} one="# file uploaded" other="# files uploaded" />
          )}
        </h2>
      </div>
      {active && (
        <p>
          <Trans>
            {formatSize(sent, i18n.locale)} of {formatSize(total, i18n.locale)}
          </Trans>
          {rate !== undefined && <> · {t`${formatSize(rate, i18n.locale)}/s`}</>}
        </p>
      )}
    </div>
  )
}

/** Leaving the page while files are on their way must be confirmed (specification, section 4). */
function useWarning(active: boolean): void {
  useEffect(() => {
    if (!active) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [active])
}

interface LineProps {
  job: Job
}

function Line({ job }: LineProps) {
  const { t } = useLingui()
  const { id, path, size, sent, status } = job
  const name = nameOf(path)
  const percent = size > 0 ? Math.floor((sent / size) * 100) : 0
  const isOpen = status === 'waiting' || status === 'sending'
  return (
    <div className={styles.line} data-status={status}>
      <div className={styles.text}>
        <div className={styles.name} title={path}>
          <Name name={name} />
        </div>
        {status === 'sending' ? (
          <progress value={percent} max={100} aria-label={name} />
        ) : (
          <p>
            <State job={job} />
          </p>
        )}
      </div>
      {status === 'done' && <Check size={18} className={styles.check} aria-hidden />}
      {status === 'failed' && <CircleAlert size={18} className={styles.alert} aria-hidden />}
      {isOpen && (
        <Button look="quiet" icon={X} iconOnly label={t`Cancel ${name}`} onClick={() => cancel(id)} />
      )}
      {(status === 'failed' || status === 'cancelled') && (
        <Button
          look="quiet"
          icon={RotateCw}
          iconOnly
          label={t`Try ${name} again`}
          onClick={() => retry(id)}
        />
      )}
    </div>
  )
}

function State({ job: { status, size, code } }: LineProps) {
  const { t, i18n } = useLingui()
  if (status === 'failed') return i18n._(problemText(code ?? 'server.failed'))
  if (status === 'skipped') return t`Skipped`
  if (status === 'cancelled') return t`Cancelled`
  if (status === 'waiting') return t`Waiting`
  return formatSize(size, i18n.locale)
}
