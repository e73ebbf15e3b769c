import { shownName } from './format/shown-name.ts'
import styles from './name.module.css'

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
  // The two visible parts are drawn by the style sheet. Their text would be two words for screen readers.
  return (
    <bdi className={styles.long}>
      <span className={styles.whole}>{name}</span>
      <span className={styles.stem} data-text={letters.slice(0, -tailLength).join('')} aria-hidden />
      <span className={styles.tail} data-text={letters.slice(-tailLength).join('')} aria-hidden />
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
