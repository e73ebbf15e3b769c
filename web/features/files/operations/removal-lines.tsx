import { Trans, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { runningDeletions } from '#web/features/files/state/removal-state.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './removal-lines.module.css'

/** The progress of running deletions, each with a Stop button. */
export function DeletionProgress() {
  const { t, i18n } = useLingui()
  const { all } = useSnapshot(runningDeletions)
  return all.map(({ done, total, stop }, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line holds no state of its own.
    <div key={place} className={styles.line} data-part="removal">
      <progress value={done} max={total} aria-label={t`Deletion progress`} />
      <span>
        <Trans>
          Deleted {formatNumber(done, i18n.locale)} of {formatNumber(total, i18n.locale)}
        </Trans>
      </span>
      <Button variant="quiet" label={t`Stop`} onClick={stop} />
    </div>
  ))
}
