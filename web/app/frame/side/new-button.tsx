import { useLingui } from '@lingui/react/macro'
import { Plus } from 'lucide-react'
import type { ActionContext } from '#web/actions/action.ts'
import { availableActions, runAction } from '#web/actions/registry.ts'
import { runInCurrentContext } from '#web/features/files/state/action-context.ts'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import styles from './side.module.css'

interface NewButtonProps {
  context: ActionContext
  /** The round button of narrow screens. */
  isRound?: boolean
  /** Something covers the button, so it must not get the focus. */
  isBehind?: boolean
  /** Called before an action. Closes the drawer on narrow screens. */
  onAct?(): void
}

/** The one button that creates folders and files, and uploads. Missing for users who may not create anything. */
export function NewButton({ context, isRound = false, isBehind = false, onAct }: NewButtonProps) {
  const { t, i18n } = useLingui()
  const actions = availableActions(['new-folder', 'new-file', 'upload-files', 'upload-folder'], context)
  if (actions.length === 0) return null
  return (
    <MenuButton
      variant="main"
      icon={Plus}
      label={t`New`}
      className={isRound ? styles.round : styles.new}
      inert={isBehind}
      placement="bottom start"
      choices={actions.map(({ id, label, icon }) => ({
        id,
        icon,
        label: i18n._(label),
        startsGroup: id === 'upload-files',
      }))}
      onChoose={(id) => {
        const action = actions.find((one) => one.id === id)
        onAct?.()
        if (action) void (context.hasNoFolder ? runAction(action, context) : runInCurrentContext(action))
      }}
    />
  )
}
