import { useLingui } from '@lingui/react/macro'
import { EllipsisVertical } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { ActionContext } from '#web/actions/action.ts'
import { ActionButton } from '#web/actions/action-button.tsx'
import { availableActions } from '#web/actions/registry.ts'
import { runInCurrentContext } from '#web/features/files/state/action-context.ts'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { changeHistory } from '#web/shared/undo/history.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import styles from './selection-tools.module.css'
import { sortIcon } from './view-actions.ts'

interface SelectionToolsProps {
  context: ActionContext
  /** Beside the path in wide windows, below the list in narrow ones. */
  place: 'bar' | 'foot'
}

const withChoice = 'download share rename move copy delete info search paste list mosaic'.split(' ')
const withoutChoice = 'search paste shell info list mosaic'.split(' ')
/** Actions that stay beside the path on every screen. */
const always = 'search paste list mosaic'.split(' ')
const moreWithout =
  'undo redo sort-name sort-size sort-modified several select-all shell download info refresh'.split(' ')
const inFoot = ['download', 'move', 'delete']
const moreInFoot = 'open share rename copy cut copy-keys duplicate select-all info'.split(' ')

/** The actions of the selection, or of the folder without a selection. */
export function SelectionTools({ context, place }: SelectionToolsProps) {
  const { t, i18n } = useLingui()
  // The Paste button depends on the clipboard.
  useSnapshot(clipboard)
  useSnapshot(files)
  // The menu contains Undo and Redo.
  useSnapshot(changeHistory)
  const isChosen = context.chosen.length > 0
  const count = context.chosen.length > 1 ? formatNumber(context.chosen.length, i18n.locale) : undefined
  const inBar = isChosen ? withChoice : withoutChoice
  const shown = place === 'bar' ? inBar : inFoot
  const more = place === 'foot' ? moreInFoot : isChosen ? [] : moreWithout
  const others = availableActions(more, context)
  return (
    <span className={styles[place]}>
      {availableActions(shown, context).map((action) => (
        <ActionButton
          key={action.id}
          action={action}
          data-always={always.includes(action.id) || undefined}
          data-spare={(place === 'bar' && !isChosen && action.id === 'info') || undefined}
          aria-keyshortcuts={action.keys?.[0]?.replace('Mod', 'Control')}
          badge={action.id === 'download' ? count : undefined}
          onClick={() => runInCurrentContext(action)}
        />
      ))}
      {others.length > 0 && (
        <MenuButton
          variant="quiet"
          icon={EllipsisVertical}
          iconOnly
          label={t`More`}
          data-always={place === 'bar' || undefined}
          choices={others.map((action) => ({
            id: action.id,
            icon: sortIcon(action) ?? action.icon,
            label: i18n._(action.label),
          }))}
          onChoose={(id) => {
            const action = others.find((one) => one.id === id)
            if (action) void runInCurrentContext(action)
          }}
        />
      )}
    </span>
  )
}
