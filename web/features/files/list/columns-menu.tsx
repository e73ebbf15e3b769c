import { useLingui } from '@lingui/react/macro'
import { Columns3, Square, SquareCheck } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { type Column, columnsOf } from '#web/features/files/views/columns.ts'
import { saveView } from '#web/features/files/views/folder-view.ts'
import { session } from '#web/shared/session.ts'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'

interface ColumnsMenuProps {
  className: string | undefined
}

/** The header at the end of the others, which exists when this code has arrived. Its menu shows and hides columns. */
export function ColumnsMenu({ className }: ColumnsMenuProps) {
  const { t, i18n } = useLingui()
  const { user } = useSnapshot(session)
  const { folder } = useSnapshot(files)
  const shown = columnsOf(user, folder?.view)
  const names: [Column, string][] = [
    ['size', t`Size`],
    ['kind', t`Kind`],
    ['modified', t`Last modified`],
  ]
  const toggle = (column: Column) => {
    const columns = shown.includes(column) ? shown.filter((one) => one !== column) : [...shown, column]
    saveView({ columns }).catch((error) => showToast('error', i18n._(problemText(codeOf(error)))))
  }
  return (
    <div role="columnheader" className={className}>
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
