import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'
import styles from './button.module.css'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main` is the one thing to do, `plain` everything else, `danger` what cannot be undone. */
  look?: 'plain' | 'main' | 'danger' | 'quiet'
  icon?: LucideIcon
  /** The label as words. Always given; `iconOnly` moves it into the name and the tooltip. */
  label: string
  iconOnly?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A button with words, a picture, or both. */
export function Button({ look = 'plain', icon: Icon, label, iconOnly, className, ...rest }: ButtonProps) {
  const classes = [styles.button, styles[look], iconOnly && styles.square, className]
    .filter(Boolean)
    .join(' ')
  return (
    <button
      type="button"
      className={classes}
      {...(iconOnly && { 'aria-label': label, title: label })}
      {...rest}
    >
      {Icon && <Icon size={18} strokeWidth={1.8} aria-hidden />}
      {!iconOnly && <span>{label}</span>}
    </button>
  )
}
