import { Check, type LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'
import styles from './button.module.css'
import { useProgress } from './progress.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main` is the one thing to do, `plain` everything else, `danger` what cannot be undone. */
  look?: 'plain' | 'main' | 'danger' | 'quiet'
  icon?: LucideIcon
  /** The label as words. Always given; `iconOnly` moves it into the name and the tooltip. */
  label: string
  iconOnly?: boolean
  /** Not to be pressed now. Unlike a disabled one it keeps the focus, so that nobody who pressed it has to start over. */
  isOff?: boolean
  /** Work that something else than a press has begun, like sending the form. What `onClick` answers counts as well. */
  task?: Promise<unknown> | undefined
  /** A number on its corner, for the eyes: the words say what it counts. */
  badge?: string | undefined
  ref?: Ref<HTMLButtonElement>
}

/** A button with words, a picture, or both. While its work goes on it shows that, and for a moment that it is done. */
export function Button({
  look = 'plain',
  icon: Icon,
  label,
  iconOnly,
  isOff,
  task,
  badge,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  const { phase, follow } = useProgress(task)
  const classes = [styles.button, styles[look], iconOnly && styles.square, className]
    .filter(Boolean)
    .join(' ')
  return (
    <button
      type="button"
      className={classes}
      {...(iconOnly && { 'aria-label': label, title: label })}
      aria-busy={phase === 'busy' || undefined}
      data-phase={phase}
      data-badge={badge}
      // The type of a handler says nothing of what it answers.
      onClick={(event) => follow(onClick?.(event) as unknown)}
      {...rest}
      {...(isOff && { 'aria-disabled': true, onClick: refuse })}
    >
      {Icon && <Icon size={18} strokeWidth={1.8} aria-hidden />}
      {phase && <i className={styles.sign}>{phase === 'done' && <Check size={18} aria-hidden />}</i>}
      {!iconOnly && <span>{label}</span>}
    </button>
  )
}

/** Also a form that is sent by Enter presses its button first. */
function refuse(event: MouseEvent): void {
  event.preventDefault()
}
