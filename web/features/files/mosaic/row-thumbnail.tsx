import { useRef, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import styles from './row-thumbnail.module.css'
import { useThumbnail } from './thumbnails.ts'

/** A small picture above the icon of a row. Without a thumbnail, the icon stays visible. */
export function RowThumbnail({ item }: { item: Item }) {
  const box = useRef<HTMLSpanElement>(null)
  const address = useThumbnail(item, 'thumb', box)
  const [broken, setBroken] = useState<string>()
  return (
    <span ref={box} className={styles.box}>
      {address && address !== broken && (
        // The name beside it is the text alternative.
        <img src={address} alt="" draggable={false} decoding="async" onError={() => setBroken(address)} />
      )}
    </span>
  )
}
