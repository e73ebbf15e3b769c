import { useLingui } from '@lingui/react/macro'
import { type MouseEvent, useEffect, useRef } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { Item } from '#contract/resources.ts'
import { RowThumbnail } from '#web/features/files/mosaic/row-thumbnail.tsx'
import { href, navigateTo } from '#web/shared/paths.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import styles from './film-strip.module.css'

/** The width of a picture in the strip with its gap, in pixels. */
const stepPx = 72

interface FilmStripProps {
  /** The pictures and films of the folder. Only those in the window are in the document. */
  items: readonly Item[]
  /** The path of the shown one. */
  path: string
}

/** The pictures of the folder below the shown one. */
export function FilmStrip({ items, path }: FilmStripProps) {
  const { t } = useLingui()
  const list = useRef<VListHandle>(null)
  const at = items.findIndex((item) => item.path === path)
  useEffect(() => {
    if (at >= 0) list.current?.scrollToIndex(at, { align: 'center' })
  }, [at])
  return (
    <nav className={styles.strip} aria-label={t`Film strip`} data-fades data-part="film-strip">
      <VList
        ref={list}
        horizontal
        data={items}
        itemSize={stepPx}
        className={styles.list}
        style={{ inlineSize: `min(100%, ${items.length * stepPx}px)` }}
      >
        {(item, index) => (
          <a
            key={item.path}
            href={href(item.url)}
            className={styles.frame}
            aria-label={item.name}
            aria-current={index === at ? 'true' : undefined}
            // One stop for the Tab key. The arrow keys turn, wherever the focus is.
            tabIndex={index === at ? 0 : -1}
            draggable={false}
            onClick={(event) => go(event, item)}
          >
            <FileIcon name={item.name} isDir={false} type={item.type} />
            {item.type === 'image' && <RowThumbnail item={item} />}
          </a>
        )}
      </VList>
    </nav>
  )
}

/** Opens the item in place of the shown one. With a modifier key, the browser opens the link elsewhere. */
function go(event: MouseEvent, item: Item): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  navigateTo(item.url, { replace: true })
}
