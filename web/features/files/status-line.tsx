import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import type { ActionContext } from '#web/actions/action.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber, formatSize } from '#web/ui/format.ts'
import { removal } from './removal-state.ts'
import { clearSelection, selection } from './selection.ts'
import styles from './status-line.module.css'

interface StatusLineProps {
  items: readonly Item[]
  context: ActionContext
  /** What can be done with the selection; shown here where the window is narrow. */
  children: ReactNode
}

/** What is here, or what is selected and how to let go of it. Screen readers hear the changes. */
export function StatusLine({ items, context, children }: StatusLineProps) {
  const { t, i18n } = useLingui()
  const { chosen } = context
  const { multiple } = useSnapshot(selection)
  const { now } = useSnapshot(removal)
  if (now) return <RemovalLine {...now} />
  const isOn = multiple || chosen.length > 0
  const size = chosen.reduce((sum, item) => sum + (item.isDir ? 0 : item.size), 0)
  return (
    <footer
      className={styles.line}
      data-chosen={isOn || undefined}
      data-multiple={multiple || undefined}
      data-part="status"
    >
      <p role="status">
        {isOn ? <Chosen count={chosen.length} of={items.length} /> : <Count items={items} />}
        {size > 0 && <span className={styles.size}>{formatSize(size, i18n.locale)}</span>}
      </p>
      {isOn && (
        <div className={styles.actions}>
          {chosen.length > 0 && children}
          <Button
            look="quiet"
            icon={X}
            iconOnly
            label={t`Clear selection`}
            onClick={() => clearSelection(selection.cursor)}
          />
        </div>
      )}
    </footer>
  )
}

interface RemovalLineProps {
  done: number
  of: number
  stop(): void
}

/** How far a deletion is, and how to end it. */
function RemovalLine({ done, of, stop }: RemovalLineProps) {
  const { t, i18n } = useLingui()
  return (
    <footer className={styles.line} data-part="removal">
      <span className={styles.removal}>
        <progress value={done} max={of} aria-label={t`Deletion progress`} />
        <Trans>
          Deleted {formatNumber(done, i18n.locale)} of {formatNumber(of, i18n.locale)}
        </Trans>
      </span>
      <Button look="quiet" label={t`Stop`} onClick={stop} />
    </footer>
  )
}

interface ChosenProps {
  count: number
  of: number
}

function Chosen({ count, of }: ChosenProps) {
  const { i18n } = useLingui()
  if (count === 0) return <Trans>Multiple selection is on</Trans>
  return (
    <Trans>
      {formatNumber(count, i18n.locale)} of {formatNumber(of, i18n.locale)} selected
    </Trans>
  )
}

interface CountProps {
  items: readonly Item[]
}

function Count({ items }: CountProps) {
  const folders = items.reduce((count, item) => count + Number(item.isDir), 0)
  const files = items.length - folders
  return (
    <>
      {folders > 0 && <Plural value={folders} one="# folder" other="# folders" />}
      {folders > 0 && files > 0 && ', '}
      {files > 0 && <Plural value={files} one="# file" other="# files" />}
    </>
  )
}
