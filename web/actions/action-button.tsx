import { useLingui } from '@lingui/react'
import { Button, type ButtonProps } from '#web/ui/button.tsx'
import type { Action } from './action.ts'

interface ActionButtonProps extends Partial<ButtonProps> {
  action: Action
}

/** An action as an icon button. Its label is the accessible name and the tooltip. */
export function ActionButton({ action, ...rest }: ActionButtonProps) {
  const { i18n } = useLingui()
  return <Button variant="quiet" icon={action.icon} iconOnly label={i18n._(action.label)} {...rest} />
}
