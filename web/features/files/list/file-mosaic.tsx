import { i18n } from '@lingui/core'
import { Check } from 'lucide-react'
import { memo, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { origin } from '#web/api/origin.ts'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { formatsOf } from '#web/features/files/state/columns.ts'
import { renameSlot, renaming } from '#web/features/files/state/rename-state.ts'
import { firstFileOf, type Section } from '#web/features/files/state/sections.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { badges } from '#web/shared/lists/badges.ts'
import { href } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { Time } from '#web/ui/format/time.tsx'
import { Name } from '#web/ui/name.tsx'
import { FileList } from './file-list.tsx'
import styles from './file-mosaic.module.css'
import { type ItemProps, itemId } from './file-row.tsx'
import { NameBadge, NameStar } from './name-badge.tsx'
import { SectionTitle } from './section-title.tsx'
import { useThumbnail } from './thumbnails.ts'

/** Minimum width of a card, in pixels. */
const cardWidth = 300

interface FileMosaicProps {
  folder: string
  items: readonly Item[]
}

/** Shows the items as cards: first the folders, then the files. */
export function FileMosaic({ folder, items }: FileMosaicProps) {
  const box = useRef<HTMLDivElement>(null)
  const [columns, setColumns] = useState(1)
  // Runs before the first paint. Otherwise a second layout would request the thumbnails twice.
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const fit = () => setColumns(Math.max(1, Math.floor(element.clientWidth / cardWidth)))
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const sections = useMemo(() => sectionsOf(items, columns), [items, columns])
  const lines = sections.map((line, number) =>
    typeof line === 'string' ? (
      <SectionTitle key={line} section={line} row={number + 2} />
    ) : (
      <Cards key={line.from} folder={folder} items={items} number={number} columns={columns} {...line} />
    ),
  )
  const lineOf = (index: number) =>
    sections.findIndex((line) => typeof line !== 'string' && line.from <= index && index < line.to)
  return (
    <div ref={box} className={styles.box}>
      <FileList folder={folder} items={items} mosaic={{ columns, lines, lineOf }} />
    </div>
  )
}

type Line = Section | { from: number; to: number }

/** Splits the items, folders first, into lines of `columns`, each section below its title. */
export function sectionsOf(items: readonly Item[], columns: number): Line[] {
  const firstFile = firstFileOf(items)
  const cut = (from: number, to: number): Line[] =>
    Array.from({ length: Math.ceil((to - from) / columns) }, (_, n) => ({
      from: from + n * columns,
      to: Math.min(from + (n + 1) * columns, to),
    }))
  return [
    ...(firstFile > 0 ? ['folders' as const, ...cut(0, firstFile)] : []),
    ...(firstFile < items.length ? ['files' as const, ...cut(firstFile, items.length)] : []),
  ]
}

interface CardsProps {
  folder: string
  items: readonly Item[]
  from: number
  to: number
  columns: number
  /** The index of the line. */
  number: number
}

function Cards({ folder, items, from, to, columns, number }: CardsProps) {
  const { names, cursor } = useSnapshot(selection)
  const { cut } = useSnapshot(clipboard)
  const { folder: marked, byName } = useSnapshot(badges)
  const { path: renamed } = useSnapshot(renaming)
  const { user } = useSnapshot(session)
  const absolute = user?.dateFormat ?? false
  return (
    <div
      role="row"
      aria-rowindex={number + 2}
      className={styles.line}
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {items.slice(from, to).map((item, n) => (
        <Card
          key={item.name}
          item={item}
          index={from + n}
          isSelected={names.has(item.name)}
          isCurrent={cursor === from + n}
          isCut={!origin.link && cut.has(item.path)}
          absolute={absolute}
          formats={formatsOf(user)}
          badge={marked === folder ? byName.get(item.name) : undefined}
          isRenamed={renamed === item.path}
        />
      ))}
    </div>
  )
}

/** The thumbnail of an item, or the icon of its type if there is none. */
function Thumbnail({ item }: { item: Item }): ReactNode {
  const { name, isDir, type } = item
  const box = useRef<HTMLSpanElement>(null)
  const address = useThumbnail(item, box)
  const [broken, setBroken] = useState<string>()
  return (
    <span ref={box} className={styles.face} data-part="face">
      <FileIcon name={name} isDir={isDir} type={type} size={32} />
      {address && address !== broken && (
        // The name beside it is the text alternative.
        <img src={address} alt="" draggable={false} decoding="async" onError={() => setBroken(address)} />
      )}
    </span>
  )
}

const Card = memo(function Card(props: ItemProps) {
  const { item, index, isSelected, isCurrent, isCut, absolute, badge, isRenamed } = props
  const { name, isDir, size, modified, url, path } = item
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
      <Thumbnail item={item} />
      <div className={styles.text}>
        {isRenamed && renameSlot.Field ? (
          <renameSlot.Field item={item} />
        ) : (
          <a href={href(url)} tabIndex={-1} draggable={false} title={name} aria-label={name}>
            <Name name={name} />
          </a>
        )}
        <p>
          {!isDir && <span>{formatSize(size, i18n.locale)}</span>}
          <Time value={modified} absolute={absolute} />
        </p>
        {badge && <NameBadge {...badge} />}
        {!origin.link && <NameStar path={item.path} />}
      </div>
      <span className={styles.check} data-check aria-hidden="true">
        <Check size={14} strokeWidth={3} />
      </span>
    </div>
  )
})
