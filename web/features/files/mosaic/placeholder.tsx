import { useLayoutEffect, useRef } from 'react'
import styles from './file-mosaic.module.css'

interface PlaceholderProps {
  /** A tiny picture, in Base64 (contract/metadata.ts). */
  code: string
}

/** A blurred version of a picture, shown until the picture arrives. The browser enlarges a few pixels smoothly. */
export function Placeholder({ code }: PlaceholderProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    if (canvas.current) draw(canvas.current, code)
  }, [code])
  return <canvas ref={canvas} className={styles.placeholder} />
}

function draw(canvas: HTMLCanvasElement, code: string): void {
  const tiny = decodePlaceholder(code)
  const context = tiny && canvas.getContext('2d')
  if (!context) return
  Object.assign(canvas, { width: tiny.width, height: tiny.height })
  context.putImageData(new ImageData(tiny.pixels, tiny.width, tiny.height), 0, 0)
}

/** The pixels of a tiny picture: red, green, blue and opacity. Undefined if the code is malformed. */
export function decodePlaceholder(
  code: string,
): { width: number; height: number; pixels: Uint8ClampedArray<ArrayBuffer> } | undefined {
  const bytes = bytesOf(code)
  const [size = 0] = bytes
  const [width, height] = [size >> 4, size & 15]
  if (width === 0 || height === 0 || bytes.length !== 1 + 2 * width * height) return undefined
  const pixels = new Uint8ClampedArray(width * height * 4)
  for (let n = 0; n < width * height; n++) {
    const colour = ((bytes[2 * n + 1] ?? 0) << 8) | (bytes[2 * n + 2] ?? 0)
    pixels.set(
      [((colour >> 11) * 255) / 31, (((colour >> 5) & 63) * 255) / 63, ((colour & 31) * 255) / 31, 255],
      4 * n,
    )
  }
  return { width, height, pixels }
}

function bytesOf(code: string): Uint8Array {
  try {
    return Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0))
  } catch {
    // No Base64: there is no placeholder.
    return new Uint8Array()
  }
}
