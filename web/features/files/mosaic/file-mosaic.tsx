import { i18n } from '@lingui/core'
import {
  type CSSProperties,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react'
import { useSnapshot } from 'valtio'
import type { VirtualizerHandle } from 'virtua'
import type { Item } from '#contract/resources.ts'
import { origin } from '#web/api/origin.ts'
import { FileList } from '#web/features/files/list/file-list.tsx'
import titleStyles from '#web/features/files/list/section-title.module.css'
import { SectionTitle } from '#web/features/files/list/section-title.tsx'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { formatsOf } from '#web/features/files/views/columns.ts'
import { titleRem } from '#web/features/files/views/sections.ts'
import { badges } from '#web/shared/lists/badges.ts'
import { renaming } from '#web/shared/names/rename-state.ts'
import { session } from '#web/shared/session.ts'
import styles from './file-mosaic.module.css'
import { Card } from './mosaic-card.tsx'
import {
  columnsOf,
  gapPx,
  itemBelow,
  lineAt,
  marginPx,
  mosaicLines,
  sharesOf,
  type Tiles,
  tileRatio,
} from './mosaic-lines.ts'
import { MosaicTools } from './mosaic-tools.tsx'
import { hasThumbnail, ratioOf } from './thumbnails.ts'
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
  const byMonth = useSnapshot(files).folder?.sorting.by === 'modified'
  const width = useWidth(box)
  const columns = columnsOf(width, size)
  const rows = useMemo(() => mosaicLines(items, columns, byMonth), [items, columns, byMonth])
  const resize = useTileSize(box, list, rows)
  const tileWidth = (width - 2 * marginPx + gapPx) / columns - gapPx
  const mosaic = useMemo(
    () => ({
      columns,
      list,
      lines: rows.map((line, number) => {
        if (typeof line === 'number') return <MonthTitle key={line} month={line} row={number + 2} />
        if (typeof line === 'string') return <SectionTitle key={line} section={line} row={number + 2} />
        return <Line key={line.from} {...{ folder, items, number, columns }} {...line} />
      }),
      lineOf: (index: number) => lineAt(rows, index),
      toLine: (cursor: number, by: number) => itemBelow(rows, cursor, by),
    }),
    [rows, folder, items, columns],
  )
  return (
    <div
      ref={box}
      className={styles.box}
      data-names={hasNames || undefined}
      data-narrow={tileWidth < 150 || undefined}
      style={{ '--tile': `${Math.round(tileWidth / tileRatio)}px` } as CSSProperties}
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

/** Changes the size of the tiles, also with the wheel and Ctrl. The first visible item stays at the top. */
function useTileSize(
  box: RefObject<HTMLElement | null>,
  list: RefObject<VirtualizerHandle | null>,
  rows: ReturnType<typeof mosaicLines>,
) {
  const anchor = useRef<number>(undefined)
  const resize = (size: number) => {
    anchor.current = firstVisible(box.current)
    setTileSize(size)
  }
  const resizeRef = useRef(resize)
  resizeRef.current = resize
  useLayoutEffect(() => {
    const line = anchor.current === undefined ? -1 : lineAt(rows, anchor.current)
    anchor.current = undefined
    if (line >= 0) list.current?.scrollToIndex(line, { align: 'start', offset: -headPx })
  }, [rows, list])
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

/** The height of the column headers, in pixels. */
const headPx = 36

/** The index of the first item below the column headers; undefined at the top of the list. */
function firstVisible(box: HTMLElement | null): number | undefined {
  const grid = box?.querySelector('[role=grid]')
  if (!grid || grid.scrollTop === 0) return undefined
  const top = grid.getBoundingClientRect().top + headPx
  const card = [...grid.querySelectorAll<HTMLElement>('[data-index]')].find(
    (one) => one.getBoundingClientRect().bottom > top + 1,
  )
  return card && Number(card.dataset.index)
}

interface LineProps extends Tiles {
  folder: string
  items: readonly Item[]
  columns: number
  /** The index of the line. */
  number: number
}

function Line({ folder, items, from, to, columns, number }: LineProps) {
  const { names, cursor } = useSnapshot(selection)
  const { cut } = useSnapshot(clipboard)
  const { folder: marked, byName } = useSnapshot(badges)
  const { path: renamed } = useSnapshot(renaming)
  const { user } = useSnapshot(session)
  const absolute = user?.dateFormat ?? false
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const row = items.slice(from, to)
  const isFolders = row[0]?.isDir ?? false
  const shares = sharesOf(
    row.map((item) => (hasThumbnail(item) ? ratioOf(item, tileRatio) : tileRatio)),
    columns,
  )
  // The height of a line never changes: a wider tile makes the others in its line narrower.
  const scale = (tileRatio * columns) / shares.reduce((sum, share) => sum + share, 0)
  return (
    <div
      role="row"
      aria-rowindex={number + 2}
      className={styles.line}
      data-folders={isFolders || undefined}
      style={{ gridTemplateColumns: shares.map((share) => `minmax(0, ${share}fr)`).join(' ') }}
    >
      {row.map((item, n) => (
        <Card
          key={item.name}
          item={item}
          index={from + n}
          isSelected={names.has(item.name)}
          isCurrent={cursor === from + n}
          isCut={!origin.link && cut.has(item.path)}
          absolute={absolute}
          formats={formatsOf(user)}
          isRenamed={renamed !== undefined && renamed === item.path}
          badge={marked === folder ? byName.get(item.name) : undefined}
          shape={(shares[n] ?? tileRatio) * scale}
          onRatio={redraw}
        />
      ))}
    </div>
  )
}

interface MonthTitleProps {
  /** The first moment of the month, in milliseconds since 1970. */
  month: number
  row: number
}

function MonthTitle({ month, row }: MonthTitleProps) {
  const text = new Intl.DateTimeFormat(i18n.locale, { month: 'long', year: 'numeric' }).format(month)
  return (
    <div
      role="row"
      aria-rowindex={row}
      className={titleStyles.title}
      data-part="section"
      style={{ blockSize: `${titleRem}rem` }}
    >
      <span role="rowheader">{text}</span>
    </div>
  )
}
