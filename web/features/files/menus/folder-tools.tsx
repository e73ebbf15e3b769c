import { useLingui } from '@lingui/react/macro'
import { EllipsisVertical } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { ActionContext } from '#web/actions/action.ts'
import { ActionButton } from '#web/actions/action-button.tsx'
import { availableActions } from '#web/actions/registry.ts'
import { runInCurrentContext } from '#web/features/files/state/action-context.ts'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { detailsPanel } from '#web/shared/lists/details-panel.ts'
import { changeHistory } from '#web/shared/undo/history.ts'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import styles from './folder-tools.module.css'
import { choicesOf } from './item-menu.ts'

interface FolderToolsProps {
  context: ActionContext
}

const shown = 'search paste shell info list mosaic'.split(' ')
/** Actions that stay beside the path on every screen. The menu More has the others. */
const always = 'search paste list mosaic'.split(' ')
const groups = [
  ['undo', 'redo'],
  ['sort-name', 'sort-size', 'sort-modified', 'sort-taken'],
  ['several', 'select-all'],
  ['shell', 'download', 'info', 'edit-path', 'refresh'],
]

/** The actions of the shown folder, beside the path. */
export function FolderTools({ context }: FolderToolsProps) {
  const { t } = useLingui()
  // The Paste button depends on the clipboard.
  useSnapshot(clipboard)
  useSnapshot(files)
  const { isOpen } = useSnapshot(detailsPanel)
  // The menu contains Undo and Redo.
  useSnapshot(changeHistory)
  const { choices, find } = choicesOf(groups, context)
  return (
    <span className={styles.tools}>
      {availableActions(shown, context).map((action) => (
        <ActionButton
          key={action.id}
          action={action}
          data-always={always.includes(action.id) || undefined}
          aria-expanded={action.id === 'info' ? isOpen : undefined}
          aria-keyshortcuts={action.keys?.[0]?.replace('Mod', 'Control')}
          onClick={() => runInCurrentContext(action)}
        />
      ))}
      {choices.length > 0 && (
        <MenuButton
          variant="quiet"
          icon={EllipsisVertical}
          iconOnly
          label={t`More`}
          data-always
          choices={choices}
          onChoose={(id) => {
            const action = find(id)
            if (action) void runInCurrentContext(action)
          }}
        />
      )}
    </span>
  )
}
