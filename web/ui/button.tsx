import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'
import styles from './button.module.css'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main` is the one thing to do, `plain` everything else, `danger` what cannot be undone. */
  look?: 'plain' | 'main' | 'danger' | 'quiet'
  icon?: LucideIcon
  /** The label as words. Always given; `iconOnly` moves it into the name and the tooltip. */
  label: string
  iconOnly?: boolean
  /** Not to be pressed now. Unlike a disabled one it keeps the focus, so that nobody who pressed it has to start over. */
  isOff?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A button with words, a picture, or both. */
export function Button({
  look = 'plain',
  icon: Icon,
  label,
  iconOnly,
  isOff,
  className,
  ...rest
}: ButtonProps) {
  const classes = [styles.button, styles[look], iconOnly && styles.square, className]
    .filter(Boolean)
    .join(' ')
  return (
    <button
      type="button"
      className={classes}
      {...(iconOnly && { 'aria-label': label, title: label })}
      {...rest}
      {...(isOff && { 'aria-disabled': true, onClick: refuse })}
    >
      {Icon && <Icon size={18} strokeWidth={1.8} aria-hidden />}
      {!iconOnly && <span>{label}</span>}
    </button>
  )
}

/** Also a form that is sent by Enter presses its button first. */
function refuse(event: MouseEvent): void {
  event.preventDefault()
}
