import { Trans, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import type { ActionContext } from '#web/actions/action.ts'
import { formatNumber, formatSize } from '#web/ui/format/format.ts'
import { ItemCount } from './count.tsx'
import { selection } from './state/selection.ts'
import styles from './status-line.module.css'

interface StatusLineProps {
  items: readonly Item[]
  context: ActionContext
}

/** The number of items, or of the selected ones. Screen readers announce the changes. */
export function StatusLine({ items, context }: StatusLineProps) {
  const { i18n } = useLingui()
  const { chosen } = context
  const { multiple } = useSnapshot(selection)
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
        {isOn ? <Chosen count={chosen.length} of={items.length} /> : <ItemCount items={items} />}
        {size > 0 && <span className={styles.size}>{formatSize(size, i18n.locale)}</span>}
      </p>
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
