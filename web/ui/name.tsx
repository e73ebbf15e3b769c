import styles from './name.module.css'
import { shownName } from './shown-name.ts'

/** The number of characters at the end of a name that stay visible when its middle is truncated. */
const tailLength = 10

// How the server writes a byte of a name that is not UTF-8: see src/files/paths/byte-names.ts.
const byte = /\ufffd(%[0-9A-F]{2})/

interface NameProps {
  name: string
}

/** A file name in its own text direction. If it is too long, its middle is truncated and its end stays visible. */
export function Name({ name: written }: NameProps) {
  const name = shownName(written)
  if (name.includes('\ufffd%')) return <Bytes name={name} />
  const letters = [...name]
  if (letters.length <= tailLength * 2) return <bdi className={styles.short}>{name}</bdi>
  return (
    <bdi className={styles.long}>
      <span className={styles.stem}>{letters.slice(0, -tailLength).join('')}</span>
      <span className={styles.tail}>{letters.slice(-tailLength).join('')}</span>
    </bdi>
  )
}

/** A name that is not UTF-8. Its bytes are highlighted, so that no regular name looks the same. */
function Bytes({ name }: NameProps) {
  const parts = name.split(byte).map((text, place) => ({ text, place, isByte: place % 2 === 1 }))
  return (
    <bdi className={styles.short}>
      {parts.map(({ text, place, isByte }) =>
        isByte ? (
          <span key={place} className={styles.byte}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </bdi>
  )
}
