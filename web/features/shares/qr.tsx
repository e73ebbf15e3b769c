import { encode } from 'uqr'
import styles from './share-dialog.module.css'

interface QrProps {
  text: string
  label: string
}

/** A QR code of error level M, 200 pixels wide (specification, section 9). */
export function Qr({ text, label }: QrProps) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : [])))
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles.qr}
      width={200}
      height={200}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <path d={squares.join('')} />
    </svg>
  )
}
