import { i18n } from '@lingui/core'
import { type CSSProperties, useReducer } from 'react'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { origin } from '#web/api/origin.ts'
import titleStyles from '#web/features/files/list/section-title.module.css'
import type { ByName } from '#web/features/files/metadata/metadata-state.ts'
import { clipboard } from '#web/features/files/state/clipboard-state.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { formatsOf } from '#web/features/files/views/columns.ts'
import { titleRem } from '#web/features/files/views/sections.ts'
import { badges } from '#web/shared/marks/badges.ts'
import { takenMs } from '#web/shared/metadata/taken.ts'
import { renaming } from '#web/shared/names/rename-state.ts'
import { session } from '#web/shared/session.ts'
import { regionalTag } from '#web/ui/format/region.ts'
import styles from './file-mosaic.module.css'
import { Card } from './mosaic-card.tsx'
import { type Tiles, tileRatio } from './mosaic-lines.ts'
import { pictureShape } from './shapes.ts'

interface LineProps {
  folder: string
  items: readonly Item[]
  about: ByName | undefined
  /** The files are sorted by the date taken, which is shown. */
  isByTaken: boolean
  line: Tiles
  /** The height of its tiles, in pixels. */
  height: number
  /** The index of the line. */
  number: number
}

/** A line of tiles. Nothing in it moves when a picture loads. */
export function Line({ folder, items, about, isByTaken, line, height, number }: LineProps) {
  const { names, cursor } = useSnapshot(selection)
  const { cut } = useSnapshot(clipboard)
  const { folder: marked, byName } = useSnapshot(badges)
  const { path: renamed } = useSnapshot(renaming)
  const { user } = useSnapshot(session)
  const absolute = user?.dateFormat ?? false
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const { from, to, full, shapes } = line
  const row = items.slice(from, to)
  const isFolders = row[0]?.isDir ?? false
  const isFull = full <= shapes.reduce((sum, shape) => sum + shape, 0)
  return (
    <div
      role="row"
      aria-rowindex={number + 2}
      className={styles.line}
      data-folders={isFolders || undefined}
      style={
        {
          '--tile': `${height}px`,
          gridTemplateColumns: shapes
            .map((shape) => (isFull ? `minmax(0, ${shape}fr)` : `${shape * height}px`))
            .join(' '),
        } as CSSProperties
      }
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
          shape={shapes[n] ?? tileRatio}
          placeholder={about?.get(item.name)?.placeholder}
          ratio={pictureShape(item, about)}
          taken={isByTaken ? takenMs(about?.get(item.name), item.type === 'video') : undefined}
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

/** The title of a section of files of one month. */
export function MonthTitle({ month, row }: MonthTitleProps) {
  const options = { month: 'long', year: 'numeric' } as const
  const text = new Intl.DateTimeFormat(regionalTag(i18n.locale), options).format(month)
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
