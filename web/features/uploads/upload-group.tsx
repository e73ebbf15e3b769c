import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, FolderOpen, RotateCw, X } from 'lucide-react'
import { nameOf, navigateTo, parentOf, paths } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { Name } from '#web/ui/name.tsx'
import { cancel, retry } from './queue/uploads-queue.ts'
import { isUnfinished, type UploadGroup, type UploadJob } from './queue/uploads-state.ts'
import styles from './uploads-panel.module.css'

interface GroupLineProps {
  group: UploadGroup
  jobs: readonly UploadJob[]
  isOpen: boolean
  onToggle(): void
}

/** The uploads of one folder in one line: how many have arrived, their common progress, and their buttons. */
export function GroupLine({ group, jobs, isOpen, onToggle }: GroupLineProps) {
  const { i18n } = useLingui()
  const name = nameOf(group.path)
  const all = jobs.filter(({ path }) => !path.endsWith('/'))
  const done = all.filter(({ status }) => status === 'done').length
  const failed = jobs.filter(({ status }) => status === 'failed').length
  const total = sum(jobs, ({ size }) => size)
  const sent = sum(jobs, (job) => job.sent)
  const isActive = jobs.some(isUnfinished)
  const size = formatSize(total, i18n.locale)
  return (
    <div className={styles.line} data-status={failed > 0 && !isActive ? 'failed' : undefined}>
      <button type="button" className={styles.group} aria-expanded={isOpen} onClick={onToggle}>
        <ChevronRight size={16} aria-hidden />
        <FileIcon name={name} isDir type="" />
        <span className={styles.text}>
          <span className={styles.name} data-full={name}>
            <Name name={name} />
          </span>
          <span className={styles.detail}>
            {failed > 0 && !isActive ? (
              <Plural value={failed} one="# upload failed" other="# uploads failed" />
            ) : (
              <Trans>
                {done} of <Plural value={all.length} one="# file" other="# files" />
              </Trans>
            )}{' '}
            · {size}
          </span>
        </span>
      </button>
      {isActive && <progress value={total > 0 ? sent / total : 0} aria-label={name} />}
      <GroupButtons group={group} jobs={jobs} isActive={isActive} hasFailed={failed > 0} />
    </div>
  )
}

interface GroupButtonsProps extends Pick<GroupLineProps, 'group' | 'jobs'> {
  isActive: boolean
  hasFailed: boolean
}

function GroupButtons({ group, jobs, isActive, hasFailed }: GroupButtonsProps) {
  const { t } = useLingui()
  const name = nameOf(group.path)
  if (isActive)
    return (
      <Button
        variant="quiet"
        icon={X}
        iconOnly
        label={t`Cancel ${name}`}
        onClick={() => {
          for (const job of jobs) cancel(job)
        }}
      />
    )
  if (hasFailed || jobs.some(({ status }) => status === 'cancelled'))
    return (
      <Button
        variant="quiet"
        icon={RotateCw}
        iconOnly
        label={t`Try ${name} again`}
        onClick={() => void retry(jobs)}
      />
    )
  return (
    <Button
      variant="quiet"
      icon={FolderOpen}
      iconOnly
      label={t`Show the folder of ${name}`}
      onClick={() => navigateTo(paths.files(parentOf(group.path)))}
    />
  )
}

function sum(jobs: readonly UploadJob[], of: (job: UploadJob) => number): number {
  return jobs.reduce((total, job) => total + of(job), 0)
}
