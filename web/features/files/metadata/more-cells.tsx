import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ReactNode } from 'react'
import { useSnapshot } from 'valtio'
import type { EntryMetadata } from '#contract/metadata.ts'
import type { Item } from '#contract/resources.ts'
import rowStyles from '#web/features/files/list/file-row.module.css'
import { none } from '#web/features/files/list/file-row.tsx'
import { takenMs } from '#web/shared/metadata/taken.ts'
import { parentOf } from '#web/shared/paths.ts'
import { formatDate, formatNumber } from '#web/ui/format/format.ts'
import { metadata } from './metadata-state.ts'

interface CellsProps {
  item: Item
  /** The shown columns, separated by spaces. */
  columns: string
}

const isMetadata = /taken|dimensions|owner/

/** The cells of a row between the size and the last change. A list without metadata does not follow it. */
export function MoreCells(props: CellsProps): ReactNode {
  const { item, columns } = props
  return (
    <>
      {columns.includes('kind') && (
        <div role="gridcell" className={rowStyles.kind}>
          {kindOf(item)}
        </div>
      )}
      {isMetadata.test(columns) && <MetadataCells {...props} />}
    </>
  )
}

/** The kind of an item in its column: a folder, or the ending of its name. */
function kindOf({ isDir, extension }: Item): ReactNode {
  return isDir ? i18n._(msg`Folder`) : extension.slice(1).toUpperCase() || none
}

function MetadataCells({ item, columns }: CellsProps): ReactNode {
  const known = useSnapshot(metadata).byFolder.get(parentOf(item.path))?.get(item.name)
  return (
    <>
      {columns.includes('taken') && (
        <div role="gridcell" className={rowStyles.more}>
          <TimeTaken known={known} isVideo={item.type === 'video'} />
        </div>
      )}
      {columns.includes('dimensions') && (
        <div role="gridcell" className={rowStyles.more}>
          {known?.width && known.height ? dimensionsText(known.width, known.height) : none}
        </div>
      )}
      {columns.includes('owner') && (
        <div role="gridcell" className={rowStyles.more}>
          {known?.owner ? <bdi>{known.owner}</bdi> : none}
        </div>
      )}
    </>
  )
}

interface TimeTakenProps {
  known: EntryMetadata | undefined
  isVideo: boolean
}

function TimeTaken({ known, isVideo }: TimeTakenProps): ReactNode {
  const time = takenMs(known, isVideo)
  if (time === undefined) return none
  return <time dateTime={known?.taken}>{formatDate(time, i18n.locale)}</time>
}

function dimensionsText(width: number, height: number): ReactNode {
  return <span dir="ltr">{`${formatNumber(width, i18n.locale)} × ${formatNumber(height, i18n.locale)}`}</span>
}
