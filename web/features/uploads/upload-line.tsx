import { Trans, useLingui } from '@lingui/react/macro'
import { Check, CircleAlert, FolderOpen, Pause, Play, RotateCw, X } from 'lucide-react'
import { problemText } from '#web/api/problems/problem-text.ts'
import { nameOf, navigateTo, parentOf, paths } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { Name } from '#web/ui/name.tsx'
import { percentOf } from './queue/progress.ts'
import { cancel, pause, resume, retry } from './queue/uploads-queue.ts'
import { isUnfinished, type UploadJob } from './queue/uploads-state.ts'
import styles from './uploads-panel.module.css'

interface UploadLineProps {
  job: UploadJob
  /** Below the line of its folder. */
  isInside?: boolean
}

/** One upload: its progress or result, and its buttons. */
export function UploadLine({ job, isInside }: UploadLineProps) {
  const { path, size, sent, status } = job
  const name = nameOf(path)
  const share = size > 0 ? sent / size : 0
  return (
    <div className={styles.line} data-status={status} data-inside={isInside || undefined}>
      <LineSign job={job} name={name} />
      <div className={styles.text}>
        <div className={styles.name} data-full={path}>
          <Name name={name} />
        </div>
        {status === 'sending' ? (
          <div className={styles.bar}>
            <progress value={share} aria-label={name} />
            <span aria-hidden>{percentOf(share)}</span>
          </div>
        ) : (
          <p>{keepsProgress(job) ? <KeptProgress job={job} /> : <State job={job} />}</p>
        )}
      </div>
      <LineButtons job={job} name={name} />
    </div>
  )
}

/** A check mark, a warning, or the icon of the file type while neither applies. */
function LineSign({ job: { status, path }, name }: UploadLineProps & { name: string }) {
  if (status === 'done') return <Check size={20} className={styles.check} aria-hidden />
  if (status === 'failed') return <CircleAlert size={20} className={styles.alert} aria-hidden />
  const isDir = path.endsWith('/')
  return <FileIcon name={name} isDir={isDir} type={isDir ? '' : 'blob'} />
}

function LineButtons({ job, name }: UploadLineProps & { name: string }) {
  const { t } = useLingui()
  const { status, path } = job
  if (status === 'done') {
    const folder = parentOf(path)
    const label = t`Show the folder of ${name}`
    return (
      <Button
        variant="quiet"
        icon={FolderOpen}
        iconOnly
        label={label}
        onClick={() => navigateTo(paths.files(folder))}
      />
    )
  }
  return (
    <>
      {status === 'sending' && (
        <Button variant="quiet" icon={Pause} iconOnly label={t`Pause ${name}`} onClick={() => pause(job)} />
      )}
      {status === 'paused' && (
        <Button variant="quiet" icon={Play} iconOnly label={t`Resume ${name}`} onClick={() => resume(job)} />
      )}
      {isUnfinished(job) && (
        <Button variant="quiet" icon={X} iconOnly label={t`Cancel ${name}`} onClick={() => cancel(job)} />
      )}
      {(status === 'failed' || status === 'cancelled') && (
        <Button
          variant="quiet"
          icon={RotateCw}
          iconOnly
          label={t`Try ${name} again`}
          onClick={() => void retry([job])}
        />
      )}
    </>
  )
}

/** Whether a stopped upload keeps its progress. */
function keepsProgress({ status, inPieces, sent }: UploadJob): boolean {
  return (status === 'paused' || status === 'waiting') && inPieces && sent > 0
}

function KeptProgress({ job: { size, sent } }: UploadLineProps) {
  const { i18n } = useLingui()
  return (
    <Trans>
      {formatSize(sent, i18n.locale)} of {formatSize(size, i18n.locale)}
    </Trans>
  )
}

function State({ job: { status, size, code, path } }: UploadLineProps) {
  const { t, i18n } = useLingui()
  if (status === 'failed' || code === 'scan.held') {
    return code === 'file.unreadable'
      ? t`This file can no longer be read on your device.`
      : i18n._(problemText(code ?? 'server.failed'))
  }
  if (status === 'skipped') return t`Skipped`
  if (status === 'cancelled') return t`Canceled`
  if (status === 'paused') return t`Paused. Will start over.`
  if (status === 'waiting') return t`Waiting`
  const folder = nameOf(parentOf(path))
  const text = path.endsWith('/') ? t`Folder` : formatSize(size, i18n.locale)
  return folder ? t`${text} · in ${folder}` : text
}
