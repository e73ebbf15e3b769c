import { encode } from 'uqr'
import styles from './qr-code.module.css'

interface QrCodeProps {
  text: string
  label: string
}

/** A QR code of 200 pixels, level M (specification, section 9), dark on light in every theme: cameras want that. */
export function QrCode({ text, label }: QrCodeProps) {
  const { size, data } = encode(text, { ecc: 'M', boostEcc: false, border: 2 })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg
      className={styles.code}
      viewBox={`0 0 ${size} ${size}`}
      width={200}
      height={200}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={dots.join('')} />
    </svg>
  )
}
