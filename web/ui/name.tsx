import styles from './name.module.css'

/** How much of a name's end stays in sight when its middle gives way: an ending, a number, a version. */
const tailLength = 10

interface NameProps {
  name: string
}

/** A file's name, in its own writing direction; when it is too long its middle gives way, and its end stays legible. */
export function Name({ name }: NameProps) {
  const letters = [...name]
  if (letters.length <= tailLength * 2) return <bdi className={styles.short}>{name}</bdi>
  return (
    <bdi className={styles.long}>
      <span className={styles.stem}>{letters.slice(0, -tailLength).join('')}</span>
      <span className={styles.tail}>{letters.slice(-tailLength).join('')}</span>
    </bdi>
  )
}
