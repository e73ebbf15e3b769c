import { encode } from 'uqr'
import styles from './qr-code.module.css'

function codeOf(text: string) {
  try {
    return encode(text, { ecc: 'M', boostEcc: false, border: 2 })
  } catch {
    // More than 2331 bytes do not fit. The page shows the same text without a code.
    return undefined
  }
}

interface QrCodeProps {
  text: string
  label: string
}

/**
 * A QR code of 200 pixels, level M, dark on light in every theme, as cameras need it. Renders nothing if the text is
 * too long for a code.
 */
export function QrCode({ text, label }: QrCodeProps) {
  const code = codeOf(text)
  if (!code) return null
  const { size, data } = code
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
