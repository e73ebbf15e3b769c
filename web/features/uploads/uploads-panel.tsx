import { useLingui } from '@lingui/react/macro'
import { ChevronDown, ChevronUp, Pause, Play, RotateCw, X } from 'lucide-react'
import { useState } from 'react'
import { useSnapshot } from 'valtio'
import { VList } from 'virtua'
import { Button } from '#web/ui/button.tsx'
import { useRoom } from '#web/ui/toasts/use-room.ts'
import { rowsOf } from './queue/groups.ts'
import { cancelAll, clear, continueUploads, holdUploads, resumeAll, retry } from './queue/uploads-queue.ts'
import { isUnfinished, uploads } from './queue/uploads-state.ts'
import { GroupLine } from './upload-group.tsx'
import { UploadLine } from './upload-line.tsx'
import styles from './uploads-panel.module.css'
import { UploadsSummary } from './uploads-summary.tsx'

/** Height of a line in pixels, and the number of visible lines. */
const lineHeight = 56
const linesInSight = 5

/** The upload panel in the lower corner. The page stays usable. */
export function UploadsPanel() {
  const { t } = useLingui()
  const { jobs, isActive, isMinimized, sent, total } = useSnapshot(uploads)
  const panel = useRoom('--uploads-block-size', jobs.length > 0, 8)
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  if (jobs.length === 0) return null
  const rows = rowsOf(jobs, open)
  const toggle = (id: number) =>
    setOpen(open.has(id) ? new Set([...open].filter((one) => one !== id)) : new Set([...open, id]))
  const percent = total > 0 ? Math.floor((sent / total) * 100) : 0
  return (
    <section ref={panel} className={styles.panel} aria-label={t`Uploads`} data-part="uploads">
      {/* Also shows the progress at the edge of the window, in case something covers the panel. For screen readers,
          the bar below does. */}
      {isActive && (
        <div className={styles.edge} style={{ inlineSize: `${percent}%` }} data-part="uploads-edge" />
      )}
      <header>
        <UploadsSummary />
        <Controls />
        <Button
          variant="quiet"
          icon={isMinimized ? ChevronUp : ChevronDown}
          iconOnly
          label={isMinimized ? t`Show uploads` : t`Minimize uploads`}
          aria-expanded={!isMinimized}
          onClick={() => {
            uploads.isMinimized = !isMinimized
          }}
        />
        <Button
          variant="quiet"
          icon={X}
          iconOnly
          label={isActive ? t`Cancel all uploads` : t`Close uploads`}
          onClick={isActive ? cancelAll : clear}
        />
      </header>
      <progress value={percent} max={100} aria-label={t`All uploads`} data-done={!isActive || undefined} />
      <Held />
      {!isMinimized && (
        <VList
          style={{ blockSize: Math.min(rows.length, linesInSight) * lineHeight }}
          itemSize={lineHeight}
          data={rows}
        >
          {(row) =>
            'job' in row ? (
              <UploadLine key={row.key} job={row.job} isInside={row.isInside} />
            ) : (
              <GroupLine
                key={row.key}
                group={row.group}
                jobs={row.jobs}
                isOpen={row.isOpen}
                onToggle={() => toggle(row.group.id)}
              />
            )
          }
        </VList>
      )}
    </section>
  )
}

/** The buttons for all uploads. */
function Controls() {
  const { t } = useLingui()
  const { jobs, isActive: active, hold: held } = useSnapshot(uploads)
  const isPaused = held === 'paused' || jobs.some(({ status }) => status === 'paused')
  if (active && !held && jobs.some(({ status }) => status === 'sending'))
    return (
      <Button
        variant="quiet"
        icon={Pause}
        iconOnly
        label={t`Pause all uploads`}
        onClick={() => holdUploads('paused')}
      />
    )
  if (active)
    return isPaused ? (
      <Button variant="quiet" icon={Play} iconOnly label={t`Resume all uploads`} onClick={resumeAll} />
    ) : null
  const failed = jobs.filter(({ status }) => status === 'failed' || status === 'cancelled')
  if (failed.length < 2) return null
  return (
    <Button
      variant="quiet"
      icon={RotateCw}
      iconOnly
      label={t`Try all again`}
      onClick={() => void retry(uploads.jobs)}
    />
  )
}

/** Why the uploads are stopped, and what the user can do. */
function Held() {
  const { t } = useLingui()
  const { hold: held, jobs } = useSnapshot(uploads)
  // Uploads in pieces keep their progress, which each line shows.
  const keepsAllProgress = held === 'paused' && jobs.every((job) => job.inPieces || !isUnfinished(job))
  if (!held || keepsAllProgress) return null
  const reasons = {
    paused: t`Paused. Files in progress will start over.`,
    offline: t`Can't reach the server. The uploads will continue when it's back.`,
    'signed-out': t`Sign in again to continue the uploads.`,
  }
  return (
    <div className={styles.held} role="status">
      <p>{reasons[held]}</p>
      {held === 'offline' && <Button variant="quiet" label={t`Try now`} onClick={continueUploads} />}
    </div>
  )
}
