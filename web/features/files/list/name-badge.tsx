import styles from './name-badge.module.css'

interface BadgeProps {
  text: string
  /** The rest of the text, which narrow screens hide. */
  detail: string
}

/** A short note beside a name. */
export function NameBadge({ text, detail }: BadgeProps) {
  return (
    <span className={styles.badge}>
      {text}
      {detail && <span> {detail}</span>}
    </span>
  )
}
