import { i18n } from '@lingui/core'
import { Plural, useLingui } from '@lingui/react/macro'
import { Check, Star } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { Bookmark } from '#contract/history/bookmarks.ts'
import { stars } from '#web/shared/marks/stars.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { folderText, href, parentOf, paths } from '#web/shared/paths.ts'
import rows from '#web/shared/rows/row.module.css'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { Time } from '#web/ui/format/time.tsx'
import { Name } from '#web/ui/name.tsx'
import { addressOfBookmark, bookmarkRowId, showInFolder } from './bookmark-actions.ts'
import styles from './bookmark-row.module.css'
import { setStars } from './star-state.ts'

interface BookmarkRowProps {
  item: Bookmark
  index: number
  /** The row of the grid, counted from 1. */
  row: number
  isSelected: boolean
  /** The cursor is on this entry. */
  isCurrent: boolean
  /** RFC 3339. */
  time: string
  /** Shows the date instead of the relative time. */
  absolute: boolean
}

/** An entry: its name, a link to its folder, and its star. The list handles its events, except of these two. */
export function BookmarkRow(props: BookmarkRowProps) {
  const { item, index, row, isSelected, isCurrent, time, absolute } = props
  const { t } = useLingui()
  const { path, isDir, type, exists, size, files } = item
  const name = item.name || t`My files`
  const isOn = useSnapshot(stars).paths.has(path)
  const folder = folderText(path)
  return (
    <div
      id={bookmarkRowId(index)}
      role="row"
      aria-rowindex={row}
      aria-selected={isSelected}
      className={`${rows.row} ${styles.row}`}
      data-index={index}
      data-current={isCurrent || undefined}
      data-part="row"
    >
      <div role="gridcell" className={`${rows.name} ${styles.name}`} data-gone={!exists || undefined}>
        <span className={`${rows.check} ${styles.check}`} data-check aria-hidden="true">
          <Check size={14} strokeWidth={3} />
        </span>
        <FileIcon name={name} isDir={isDir} type={type} isSaid />
        {exists ? (
          <a
            href={href(addressOfBookmark(item))}
            tabIndex={-1}
            draggable={false}
            data-full={name}
            aria-label={shownName(name)}
          >
            <Name name={name} />
          </a>
        ) : (
          <span data-full={name}>
            <Name name={name} />
          </span>
        )}
        {files !== undefined && (
          <span className={styles.note}>
            <Plural value={item.files ?? 0} one="# file uploaded" other="# files uploaded" />
          </span>
        )}
      </div>
      <div role="gridcell" className={styles.place}>
        {path !== '/' && (
          <PageLink
            to={paths.files(parentOf(path))}
            data-own
            draggable={false}
            data-tip={t`Show in folder`}
            aria-label={t`Show in folder ${folder}`}
            tabIndex={-1}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
              event.preventDefault()
              showInFolder(item)
            }}
          >
            <bdi>{shownName(folder)}</bdi>
          </PageLink>
        )}
      </div>
      <div role="gridcell" className={styles.time}>
        {exists ? <Time value={time} absolute={absolute} /> : t`No longer there`}
      </div>
      <div role="gridcell" className={styles.size}>
        {exists && !isDir && formatSize(size, i18n.locale)}
      </div>
      <div role="gridcell" className={styles.star}>
        {path !== '/' && (
          <Button
            variant="quiet"
            icon={Star}
            iconOnly
            label={t`Starred`}
            aria-pressed={isOn}
            tabIndex={-1}
            data-own
            onClick={() => void setStars([path], !isOn)}
          />
        )}
      </div>
    </div>
  )
}
