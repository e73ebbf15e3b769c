import { Check, type LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'
import styles from './button.module.css'
import { useProgress } from './progress.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main` is the primary action, `plain` any other, `danger` one that cannot be undone. */
  variant?: 'plain' | 'main' | 'danger' | 'quiet'
  icon?: LucideIcon
  /** The label. Always required; with `iconOnly` it is the accessible name and the tooltip. */
  label: string
  iconOnly?: boolean
  /** The button is inactive. Unlike a disabled one it keeps the focus. */
  isInactive?: boolean
  /** Work that did not start with a press, such as sending the form. The promise of `onClick` counts as well. */
  task?: Promise<unknown> | undefined
  ref?: Ref<HTMLButtonElement>
}

/** A button with a label, an icon, or both. Shows a spinner during its work, and then briefly a check mark. */
export function Button({
  variant = 'plain',
  icon: Icon,
  label,
  iconOnly,
  isInactive,
  task,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  const { phase, follow } = useProgress(task)
  const classes = [styles.button, styles[variant], iconOnly && styles.square, className]
    .filter(Boolean)
    .join(' ')
  return (
    <button
      type="button"
      className={classes}
      {...(iconOnly ? { 'aria-label': label, 'data-tip': '' } : { 'data-full': label })}
      aria-busy={phase === 'busy' || undefined}
      data-phase={phase}
      // The type of a handler does not include its result.
      onClick={(event) => follow(onClick?.(event) as unknown)}
      {...rest}
      {...(isInactive && { 'aria-disabled': true, onClick: refuse })}
    >
      {Icon && <Icon size={18} strokeWidth={1.8} aria-hidden />}
      {phase && <i className={styles.sign}>{phase === 'done' && <Check size={18} aria-hidden />}</i>}
      {!iconOnly && <span>{label}</span>}
    </button>
  )
}

/** A form that is submitted with Enter clicks its button first, so this refuses that as well. */
function refuse(event: MouseEvent): void {
  event.preventDefault()
}
