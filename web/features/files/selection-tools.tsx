import { useLingui } from '@lingui/react/macro'
import { EllipsisVertical } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { ActionContext } from '#web/actions/action.ts'
import { offered, run } from '#web/actions/registry.ts'
import { Button } from '#web/ui/button.tsx'
import { MenuButton } from '#web/ui/menu-button.tsx'
import { clipboard } from './clipboard.ts'
import styles from './selection-tools.module.css'

interface SelectionToolsProps {
  context: ActionContext
  /** Beside the path where there is room, below the list where there is none. */
  place: 'bar' | 'foot'
}

const inBar = ['download', 'share', 'rename', 'move', 'copy', 'delete', 'info', 'search']
const inFoot = ['download', 'move', 'delete']
const underMore = ['open', 'share', 'rename', 'copy', 'cut', 'copy-keys', 'info']

/** What can be done with the selection. */
export function SelectionTools({ context, place }: SelectionToolsProps) {
  const { t, i18n } = useLingui()
  // A button for what was cut or copied comes and goes with it.
  useSnapshot(clipboard)
  const isChosen = context.chosen.length > 0
  const shown = place === 'bar' ? (isChosen ? inBar : ['search', 'paste', 'info']) : inFoot
  const more = place === 'foot' ? offered(underMore, context) : []
  return (
    <span className={styles[place]}>
      {offered(shown, context).map((action) => (
        <Button
          key={action.id}
          look="quiet"
          icon={action.icon}
          iconOnly
          label={i18n._(action.label)}
          data-always={action.id === 'search' || action.id === 'paste' || undefined}
          aria-keyshortcuts={action.keys?.[0]?.replace('Mod', 'Control')}
          onClick={() => run(action, context)}
        />
      ))}
      {more.length > 0 && (
        <MenuButton
          look="quiet"
          icon={EllipsisVertical}
          iconOnly
          label={t`More`}
          choices={more.map(({ id, icon, label }) => ({ id, icon, label: i18n._(label) }))}
          onChoose={(id) => {
            const action = more.find((one) => one.id === id)
            if (action) void run(action, context)
          }}
        />
      )}
    </span>
  )
}
