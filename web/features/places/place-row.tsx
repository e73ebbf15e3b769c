import { i18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { Star } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { PlaceItem } from '#contract/history/places.ts'
import { stars } from '#web/shared/lists/stars.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { folderText, nameOf, parentOf, paths } from '#web/shared/paths.ts'
import { showItems } from '#web/shared/undo/show-items.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { Time } from '#web/ui/format/time.tsx'
import { Name } from '#web/ui/name.tsx'
import { shownName } from '#web/ui/shown-name.ts'
import styles from './place-row.module.css'
import { setStars } from './star-state.ts'

interface PlaceRowProps {
  item: PlaceItem
  /** Only the controls of this row are in the tab order. */
  isCurrent: boolean
  /** RFC 3339. */
  time: string
  /** Shows the date instead of the relative time. */
  absolute: boolean
  onFocus(): void
}

/** An item: a link that opens it, a link to its folder, and its star. */
export function PlaceRow({ item, isCurrent, time, absolute, onFocus }: PlaceRowProps) {
  const { t } = useLingui()
  const { name, path, isDir, type, exists, size } = item
  const tabIndex = isCurrent ? 0 : -1
  const isOn = useSnapshot(stars).paths.has(path)
  const parent = parentOf(path)
  const folder = folderText(path)
  const label = (
    <>
      <FileIcon name={name} isDir={isDir} type={type} isSaid />
      <Name name={name} />
    </>
  )
  return (
    <li className={styles.row} data-part="row" data-current={isCurrent || undefined} onFocus={onFocus}>
      {exists ? (
        <PageLink
          to={paths.files(isDir ? `${path}/` : path)}
          className={styles.name}
          data-full={name}
          aria-label={shownName(name)}
          tabIndex={tabIndex}
          data-main
        >
          {label}
        </PageLink>
      ) : (
        <span className={styles.name} data-full={name} tabIndex={tabIndex} data-gone data-main>
          {label}
        </span>
      )}
      <PageLink
        to={paths.files(parent)}
        className={styles.place}
        data-tip={t`Show in folder`}
        aria-label={t`Show in folder ${folder}`}
        tabIndex={tabIndex}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
          event.preventDefault()
          showItems({ folder: parent, names: [nameOf(path)] })
        }}
      >
        <bdi>{shownName(folder)}</bdi>
      </PageLink>
      <span className={styles.time}>
        {exists ? <Time value={time} absolute={absolute} /> : t`No longer there`}
      </span>
      <span className={styles.size}>{exists && !isDir && formatSize(size, i18n.locale)}</span>
      <Button
        variant="quiet"
        icon={Star}
        iconOnly
        className={styles.star}
        label={t`Starred`}
        aria-pressed={isOn}
        tabIndex={tabIndex}
        onClick={() => void setStars([path], !isOn)}
      />
    </li>
  )
}
