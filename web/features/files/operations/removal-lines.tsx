import { Trans, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { removals } from '#web/features/files/state/removal-state.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './removal-lines.module.css'

/** The progress of running deletions, each with a Stop button. */
export function RemovalLines() {
  const { t, i18n } = useLingui()
  const { all } = useSnapshot(removals)
  return all.map(({ done, of, stop }, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line holds no state of its own.
    <div key={place} className={styles.line} data-part="removal">
      <progress value={done} max={of} aria-label={t`Deletion progress`} />
      <span>
        <Trans>
          Deleted {formatNumber(done, i18n.locale)} of {formatNumber(of, i18n.locale)}
        </Trans>
      </span>
      <Button look="quiet" label={t`Stop`} onClick={stop} />
    </div>
  ))
}
