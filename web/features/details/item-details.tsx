import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useEffect, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import type { Rights as RightsOnPath } from '#contract/schema/rights.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { useRested } from '#web/shared/lists/use-rested.ts'
import { folderText } from '#web/shared/paths.ts'
import { mayShare, permissions } from '#web/shared/session.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatDate, formatNumber, formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { Checksums } from './checksums.tsx'
import { TotalSize } from './deep-size.tsx'
import styles from './details.module.css'
import { DescriptionEntry } from './fact.tsx'
import { Counts } from './item-counts.tsx'
import { kindText } from './kind-text.ts'
import { useMetadata } from './media/use-metadata.ts'
import { MediaPart } from './media-part.tsx'
import { Activity, Part, ShareLinks, Versions } from './parts.tsx'
import { usePicture } from './use-picture.ts'

/** The shown folder. It is described while nothing is selected. */
export interface ShownFolder {
  /** Decoded, with a closing slash. */
  path: string
  /** RFC 3339. */
  modified: string
  items: readonly Item[]
}

interface ItemDetailsProps {
  /** The name to show. */
  name: string
  path: string
  /** Undefined: the shown folder. */
  item: Item | undefined
  folder: ShownFolder | undefined
  /** Called before a version is restored, because that may ask about unsaved changes. */
  onLeave(): void
}

/** The properties of one file or folder. Only what needs a request waits until the selection rests. */
export function ItemDetails({ name, path, item, folder, onLeave }: ItemDetailsProps) {
  const { t } = useLingui()
  const isDir = item?.isDir ?? true
  const key = JSON.stringify([path, item?.modified])
  const isRested = useRested(key) === key
  const isSelectionRested = useRested(path) === path
  const address = usePicture(item, isRested)
  const about = useMetadata(item, isRested)
  return (
    <>
      <div className={styles.face}>
        <FileIcon name={name} isDir={isDir} type={item?.type ?? ''} size={56} />
        {address && <img src={address} alt={t`Preview of ${name}`} />}
      </div>
      <p className={styles.name}>
        <bdi>{shownName(name)}</bdi>
      </p>
      <dl className={styles.facts}>
        <DescriptionEntry name={t`Kind`}>
          {kindText(item ?? { name, isDir: true, type: '' })}
        </DescriptionEntry>
        {isDir ? (
          <FolderFacts key={key} path={path} folder={item ? undefined : folder} isRested={isRested} />
        ) : (
          item && <FileSize size={item.size} />
        )}
        {about?.width && about.height && <Dimensions width={about.width} height={about.height} />}
        <DescriptionEntry name={t`Location`}>
          <bdi>{shownName(folderText(path))}</bdi>
        </DescriptionEntry>
        <Modified time={item?.modified ?? folder?.modified} />
        <Rights key={`rights ${key}`} path={path} isRested={isRested} />
      </dl>
      {item && about && <MediaPart key={key} item={item} about={about} />}
      <ItemParts key={path} path={path} item={item} isRested={isSelectionRested} onLeave={onLeave} />
    </>
  )
}

interface ItemPartsProps extends Pick<ItemDetailsProps, 'path' | 'item' | 'onLeave'> {
  isRested: boolean
}

/**
 * What is loaded when the user opens it: links, versions, activity and checksums. A change of the file loads the parts
 * again and does not close what is open above them, such as a comparison.
 */
function ItemParts({ path, item, isRested, onLeave }: ItemPartsProps) {
  const { t } = useLingui()
  const file = item?.isDir ? undefined : item
  const modified = useRested(item?.modified)
  return (
    <div>
      {mayShare(permissions()) && path !== '/' && (
        <Part title={t`Shared links`}>{isRested && <ShareLinks path={path} />}</Part>
      )}
      {file && <Part title={t`Versions`}>{isRested && <Versions file={file} onLeave={onLeave} />}</Part>}
      <Part title={t`Activity`}>{isRested && <Activity key={modified} path={path} />}</Part>
      {file && (
        <Part title={t`Checksums`}>
          <dl className={styles.facts}>
            <Checksums key={modified} path={path} />
          </dl>
        </Part>
      )}
    </div>
  )
}

interface FolderFactsProps {
  path: string
  folder: ShownFolder | undefined
  isRested: boolean
}

/** What a folder contains, from the list if it is the shown one, else from the server. */
function FolderFacts({ path, folder, isRested }: FolderFactsProps) {
  const { t } = useLingui()
  const [counts, setCounts] = useState<{ folders: number; files: number }>()
  const [failure, setFailure] = useState<string>()
  const isShown = folder !== undefined
  useEffect(() => {
    if (isShown || !isRested) return
    const controller = new AbortController()
    api('GET /api/resources/*', { params: { '*': path }, query: {} }, { signal: controller.signal }).then(
      (found) => 'items' in found && setCounts({ folders: found.numDirs, files: found.numFiles }),
      (error: unknown) => controller.signal.aborted || setFailure(problemMessage(error)),
    )
    return () => controller.abort()
  }, [path, isShown, isRested])
  const known = folder ? countsOf(folder.items) : counts
  return (
    <>
      <DescriptionEntry name={t`Contents`}>
        {known ? <Counts {...known} /> : <span className={styles.error}>{failure}</span>}
      </DescriptionEntry>
      <TotalSize paths={[path]} />
    </>
  )
}

function countsOf(items: readonly Item[]): { folders: number; files: number } {
  const folders = items.filter((item) => item.isDir).length
  return { folders, files: items.length - folders }
}

function FileSize({ size }: { size: number }): ReactNode {
  const { t, i18n } = useLingui()
  return (
    <DescriptionEntry name={t`Size`}>
      {formatSize(size, i18n.locale)}
      {size > 1023 && t` (${formatNumber(size, i18n.locale)} bytes)`}
    </DescriptionEntry>
  )
}

function Dimensions({ width, height }: { width: number; height: number }): ReactNode {
  const { t, i18n } = useLingui()
  return (
    <DescriptionEntry name={t`Dimensions`}>
      <span dir="ltr">{`${formatNumber(width, i18n.locale)} × ${formatNumber(height, i18n.locale)}`}</span>
    </DescriptionEntry>
  )
}

function Modified({ time }: { time: string | undefined }): ReactNode {
  const { t, i18n } = useLingui()
  if (!time) return null
  return (
    <DescriptionEntry name={t`Last modified`}>{formatDate(Date.parse(time), i18n.locale)}</DescriptionEntry>
  )
}

interface RightsProps {
  path: string
  /** The request waits until the selection rests. */
  isRested: boolean
}

/** What the user may do with the item, as the server tells: by permissions, scope and rules. */
function Rights({ path, isRested }: RightsProps) {
  const { t, i18n } = useLingui()
  const [may, setMay] = useState<RightsOnPath>()
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    if (!isRested) return
    const controller = new AbortController()
    api('GET /api/rights/*', { params: { '*': path } }, { signal: controller.signal }).then(
      setMay,
      (error: unknown) => controller.signal.aborted || setFailure(problemMessage(error)),
    )
    return () => controller.abort()
  }, [path, isRested])
  const rights = may && [
    may.read && t`Download`,
    may.create && t`Create`,
    may.save && t`Edit`,
    may.rename && t`Rename`,
    may.delete && t`Delete`,
    may.share && t`Share`,
  ]
  return (
    <DescriptionEntry name={t`Permissions`}>
      {rights ? (
        new Intl.ListFormat(i18n.locale, { type: 'unit' }).format(
          rights.filter((right) => right !== false),
        ) || t`View`
      ) : (
        <span className={styles.error}>{failure}</span>
      )}
    </DescriptionEntry>
  )
}
