import { useLingui } from '@lingui/react/macro'
import { Columns3, Square, SquareCheck } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { origin } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { type Column, columnsOf, mayReadMetadata } from '#web/features/files/views/columns.ts'
import { saveView } from '#web/features/files/views/folder-view.ts'
import { session } from '#web/shared/session.ts'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import styles from './list-head.module.css'

interface ColumnsMenuProps {
  isMosaic: boolean
}

/** The header at the end of the others, which exists when this code has arrived. Its menu shows and hides columns. */
export function ColumnsMenu({ isMosaic }: ColumnsMenuProps) {
  const { t, i18n } = useLingui()
  const { user } = useSnapshot(session)
  const { folder } = useSnapshot(files)
  const shown = columnsOf(user, folder?.view)
  const names: (readonly [Column, string])[] = [
    ['size', t`Size`],
    ['kind', t`Kind`],
    ...(mayReadMetadata()
      ? ([
          ['taken', t`Date taken`],
          ['dimensions', t`Dimensions`],
          ['owner', t`Owner`],
        ] as const)
      : []),
    ['modified', t`Last modified`],
  ]
  const toggle = (column: Column) => {
    const columns = shown.includes(column) ? shown.filter((one) => one !== column) : [...shown, column]
    saveView({ columns }).catch((error) => showToast('error', i18n._(problemText(codeOf(error)))))
  }
  // Cards have no columns. Visitors of a share have no account that remembers them.
  if (isMosaic || origin.link) return null
  return (
    <div role="columnheader" className={styles.columns}>
      <MenuButton
        variant="quiet"
        icon={Columns3}
        iconOnly
        label={t`Columns`}
        choices={names.map(([id, label]) => ({
          id,
          label,
          icon: shown.includes(id) ? SquareCheck : Square,
          isChecked: shown.includes(id),
        }))}
        onChoose={(id) => toggle(id as Column)}
      />
    </div>
  )
}
