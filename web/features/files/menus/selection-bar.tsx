import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { EllipsisVertical, X } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { ActionButton } from '#web/actions/action-button.tsx'
import { availableActions } from '#web/actions/registry.ts'
import { runInCurrentContext } from '#web/features/files/state/action-context.ts'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { clearSelection, selection } from '#web/features/files/state/selection.ts'
import { Button } from '#web/ui/button.tsx'
import { useBackCloses } from '#web/ui/layers/back-closes.ts'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import { Toolbar } from '#web/ui/toolbar.tsx'
import { itemChoices } from './item-menu.ts'
import styles from './selection-bar.module.css'

/** The likeliest actions. They have words beside their icons where the width allows it. */
const likely = ['download', 'share', 'move', 'delete']
/** These have no words, and are left to the menu More in narrow windows. */
const others = ['rename', 'rename-many', 'copy', 'paste', 'info']

interface SelectionBarProps {
  context: ActionContext
}

/** The selection and its actions, in place of the path and the actions of the folder. */
export function SelectionBar({ context }: SelectionBarProps) {
  const { t, i18n } = useLingui()
  // The Paste button depends on the clipboard.
  useSnapshot(clipboard)
  const clear = () => clearSelection(selection.cursor)
  useBackCloses(clear)
  const count = context.chosen.length
  const { choices, find } = itemChoices(context)
  const run = (action: Action | undefined) => action && runInCurrentContext(action)
  return (
    <Toolbar label={t`Actions`} className={styles.bar} part="selection">
      <Button variant="quiet" icon={X} iconOnly label={t`Clear selection`} onClick={clear} />
      <p>{count === 0 ? t`Select items` : plural(count, { one: '# selected', other: '# selected' })}</p>
      {availableActions(likely, context).map((action) => (
        <ActionButton
          key={action.id}
          action={action}
          iconOnly={false}
          data-tip={i18n._(action.label)}
          className={styles.likely}
          aria-keyshortcuts={action.keys?.[0]?.replace('Mod', 'Control')}
          onClick={() => run(action)}
        />
      ))}
      <span className={styles.others}>
        {availableActions(others, context).map((action) => (
          <ActionButton
            key={action.id}
            action={action}
            aria-keyshortcuts={action.keys?.[0]?.replace('Mod', 'Control')}
            onClick={() => run(action)}
          />
        ))}
      </span>
      {choices.length > 0 && (
        <MenuButton
          variant="quiet"
          icon={EllipsisVertical}
          iconOnly
          label={t`More`}
          choices={choices}
          onChoose={(id) => void run(find(id))}
        />
      )}
    </Toolbar>
  )
}
