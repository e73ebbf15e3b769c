import { Trans, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import type { ActionContext } from '#web/actions/action.ts'
import { formatNumber, formatSize } from '#web/ui/format/format.ts'
import { ItemCount } from './count.tsx'
import { files } from './state/files-state.ts'
import { selection } from './state/selection.ts'
import styles from './status-line.module.css'
import type { Expected } from './views/sections.ts'

interface StatusLineProps {
  items: readonly Item[]
  /** The numbers of items if only the first are there. */
  expected: Expected | undefined
  context: ActionContext
}

/** The number of items, or of the selected ones. Screen readers announce the changes. */
export function StatusLine({ items, expected, context }: StatusLineProps) {
  const { i18n } = useLingui()
  const { chosen } = context
  const { multiple } = useSnapshot(selection)
  const isOn = multiple || chosen.length > 0
  const { loading } = useSnapshot(files)
  const all = expected ? expected.folders + expected.files : items.length
  const size = chosen.reduce((sum, item) => sum + (item.isDir ? 0 : item.size), 0)
  return (
    <footer
      className={styles.line}
      data-chosen={isOn || undefined}
      data-multiple={multiple || undefined}
      data-part="status"
    >
      <p role="status">
        {isOn ? (
          <Chosen count={chosen.length} of={all} />
        ) : expected && !loading ? (
          <Incomplete count={items.length} of={all} />
        ) : (
          <ItemCount items={items} expected={expected} />
        )}
        {size > 0 && <span className={styles.size}>{formatSize(size, i18n.locale)}</span>}
      </p>
    </footer>
  )
}

interface ChosenProps {
  count: number
  of: number
}

/** The rest of the items did not arrive. */
function Incomplete({ count, of }: ChosenProps) {
  const { i18n } = useLingui()
  return (
    <Trans>
      Only {formatNumber(count, i18n.locale)} of {formatNumber(of, i18n.locale)} items were loaded
    </Trans>
  )
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
