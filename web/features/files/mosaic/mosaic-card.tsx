import { i18n } from '@lingui/core'
import { Check } from 'lucide-react'
import { memo, type ReactNode, useRef, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { origin } from '#web/api/origin.ts'
import { type ItemProps, itemId } from '#web/features/files/list/file-row.tsx'
import { ItemName } from '#web/features/files/list/item-name.tsx'
import { NameBadge, NameShared, NameStar } from '#web/features/files/list/name-badge.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatDate, formatSize } from '#web/ui/format/format.ts'
import { Time } from '#web/ui/format/time.tsx'
import styles from './file-mosaic.module.css'
import { fillsTile, tileRatio } from './mosaic-lines.ts'
import { Placeholder } from './placeholder.tsx'
import { ratioOf, rememberRatio, useThumbnail } from './thumbnails.ts'

interface FaceProps {
  item: Item
  /** Width divided by height of the tile. */
  shape: number
  /** Width divided by height of the picture; undefined until it is known. */
  ratio: number | undefined
  placeholder: string | undefined
  /** The shape of the picture is known now. */
  onRatio(): void
}

/** The picture of an item, or the icon of its type if there is none. */
function Face({ item, shape, ratio = tileRatio, placeholder, onRatio }: FaceProps): ReactNode {
  const { name, isDir, type } = item
  const box = useRef<HTMLSpanElement>(null)
  const address = useThumbnail(item, 'tile', box)
  const [broken, setBroken] = useState<string>()
  const remember = (ratio: number) => {
    if (ratio === ratioOf(item, tileRatio)) return
    rememberRatio(item, ratio)
    onRatio()
  }
  return (
    <span ref={box} className={styles.face} data-part="face">
      <FileIcon name={name} isDir={isDir} type={type} size={32} isSaid />
      {placeholder && <Placeholder code={placeholder} />}
      {address && address !== broken && (
        <img
          src={address}
          // The name beside it is the text alternative.
          alt=""
          draggable={false}
          decoding="async"
          data-whole={!fillsTile(ratio, shape) || undefined}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            remember(naturalWidth / naturalHeight)
          }
          onError={() => {
            setBroken(address)
            remember(tileRatio)
          }}
        />
      )}
    </span>
  )
}

interface CardProps extends ItemProps, Omit<FaceProps, 'item'> {
  /** When the picture was taken, in milliseconds; undefined: the time of its last change is shown. */
  taken: number | undefined
}

/** One item of the mosaic. It has no handlers: the list handles all events. */
export const Card = memo(function Card(props: CardProps) {
  const { item, index, isSelected, isCurrent, isCut, absolute, badge, isRenamed, taken } = props
  const { isDir, size, modified, path } = item
  return (
    <div
      id={itemId(index)}
      role="gridcell"
      aria-selected={isSelected}
      className={styles.card}
      data-index={index}
      data-current={isCurrent || undefined}
      data-cut={isCut || undefined}
      data-folder={isDir ? path : undefined}
      data-part="card"
    >
      <Face {...props} />
      <div className={styles.text}>
        <ItemName item={item} isRenamed={isRenamed} />
        <p>
          {!isDir && <span>{formatSize(size, i18n.locale)}</span>}
          {taken === undefined ? (
            <Time value={modified} absolute={absolute} />
          ) : (
            <span>{formatDate(taken, i18n.locale)}</span>
          )}
        </p>
        {badge && <NameBadge {...badge} />}
        {!origin.link && <NameStar path={path} />}
        {!origin.link && <NameShared path={path} />}
      </div>
      <span className={styles.check} data-check aria-hidden="true">
        <Check size={14} strokeWidth={3} />
      </span>
    </div>
  )
})
