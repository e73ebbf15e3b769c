import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { subscribe, useSnapshot } from 'valtio'
import type { VirtualizerHandle } from 'virtua'
import type { Item } from '#contract/resources.ts'
import { FileList } from '#web/features/files/list/file-list.tsx'
import { SectionTitle } from '#web/features/files/list/section-title.tsx'
import { type ByName, metadata } from '#web/features/files/metadata/metadata-state.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { headHeight } from '#web/shared/lists/head-height.ts'
import styles from './file-mosaic.module.css'
import { Line, MonthTitle } from './mosaic-line.tsx'
import {
  columnsOf,
  gapPx,
  heightOf,
  itemBelow,
  lineAt,
  marginPx,
  mosaicLines,
  tileRatio,
} from './mosaic-lines.ts'
import { MosaicTools } from './mosaic-tools.tsx'
import { tileShape, timeIn } from './shapes.ts'
import { setTileSize, tiles } from './tiles-state.ts'

interface FileMosaicProps {
  folder: string
  items: readonly Item[]
}

/** Shows the items as tiles: first the folders, then the files with their pictures. */
export function FileMosaic({ folder, items }: FileMosaicProps) {
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const { size, hasNames } = useSnapshot(tiles)
  const by = useSnapshot(files).folder?.sorting.by
  const about = useSnapshot(metadata).byFolder.get(folder) as ByName | undefined
  const width = useWidth(box)
  const columns = columnsOf(width, size)
  const rows = useMemo(
    () =>
      mosaicLines(items, { columns, shapeOf: (item) => tileShape(item, about), timeOf: timeIn(by, about) }),
    [items, columns, by, about],
  )
  const resize = useTileSize(box, list, rows)
  const tileWidth = (width - 2 * marginPx + gapPx) / columns - gapPx
  const isByTaken = by === 'taken'
  const tileHeight = Math.round(tileWidth / tileRatio)
  const mosaic = useMemo(
    () => ({
      columns,
      list,
      lines: rows,
      renderLine(number: number) {
        const line = rows[number]
        if (line === undefined) return null
        if (typeof line === 'number') return <MonthTitle key={line} month={line} row={number + 2} />
        if (typeof line === 'string') return <SectionTitle key={line} section={line} row={number + 2} />
        const height = heightOf(line, width, tileHeight)
        return <Line key={line.from} {...{ folder, items, number, about, isByTaken, line, height }} />
      },
      lineOf: (index: number) => lineAt(rows, index),
      toLine: (cursor: number, by: number) => itemBelow(rows, cursor, by),
    }),
    [rows, folder, items, columns, about, isByTaken, width, tileHeight],
  )
  return (
    <div
      ref={box}
      className={styles.box}
      data-names={hasNames || undefined}
      data-narrow={tileWidth < 150 || undefined}
    >
      <FileList folder={folder} items={items} mosaic={mosaic} />
      <MosaicTools onSize={resize} />
    </div>
  )
}

/** The inner width of the list in pixels, known before the first paint. */
function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current?.querySelector('[role=grid]')
    if (!element) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return width
}

interface Anchor {
  /** The index of an item. */
  index: number
  /** The distance from the top of the list, in pixels. */
  top: number
}

/** Changes the size of the tiles, also with the wheel and Ctrl. The first visible item stays at the top. */
function useTileSize(
  box: RefObject<HTMLElement | null>,
  list: RefObject<VirtualizerHandle | null>,
  rows: ReturnType<typeof mosaicLines>,
) {
  const anchor = useRef<Anchor>(undefined)
  const resize = (size: number) => {
    const first = firstVisible(box.current)
    anchor.current = first && { ...first, top: headHeight() }
    setTileSize(size)
  }
  const resizeRef = useRef(resize)
  resizeRef.current = resize
  useLayoutEffect(() => {
    const { index = -1, top = 0 } = anchor.current ?? {}
    const line = lineAt(rows, index)
    anchor.current = undefined
    if (line >= 0) list.current?.scrollToIndex(line, { align: 'start', offset: -top })
  }, [rows, list])
  useEffect(() => {
    const keep = () => {
      anchor.current ??= firstVisible(box.current)
    }
    // When more shapes are known, the first visible item stays where it is.
    return subscribe(metadata, keep, true)
  }, [box])
  useEffect(() => {
    const element = box.current
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      resizeRef.current(tiles.size * Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 400))
    }
    // Only a listener that is not passive keeps the browser from enlarging the page.
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [box])
  return resize
}

/** The first item below the column headers; undefined at the top of the list. */
function firstVisible(box: HTMLElement | null): Anchor | undefined {
  const grid = box?.querySelector('[role=grid]')
  if (!grid || grid.scrollTop === 0) return undefined
  const { top } = grid.getBoundingClientRect()
  const card = [...grid.querySelectorAll<HTMLElement>('[data-index]')].find(
    (one) => one.getBoundingClientRect().bottom > top + headHeight() + 1,
  )
  return card && { index: Number(card.dataset.index), top: card.getBoundingClientRect().top - top }
}
