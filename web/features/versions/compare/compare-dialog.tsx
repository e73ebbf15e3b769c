import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useEffect, useState } from 'react'
import type { Version } from '#contract/history/kept.ts'
import { readStart } from '#web/api/history/kept.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { LaterDialog, LaterDialogButtons } from '#web/overlays/later-dialog.tsx'
import { KeptPicture } from '#web/shared/kept/kept-content.tsx'
import { textOf } from '#web/shared/kept/text-of.ts'
import { quoted } from '#web/shared/undo/change-text.ts'
import { Button } from '#web/ui/button.tsx'
import { Select } from '#web/ui/form.tsx'
import { formatDate, formatSize } from '#web/ui/format/format.ts'
import styles from './compare.module.css'
import { hasComparableLength } from './compare-rows.ts'
import { CompareTable } from './compare-table.tsx'
import { currentId, factsOf, sourceOf, type VersionedFile } from './contents.ts'

/** Maximum size of a text that is compared, in bytes. */
const maxTextBytes = 2 * 1024 * 1024

interface CompareDialogProps {
  file: VersionedFile
  versions: readonly Version[]
  /** The id of the version that is compared with the current content first. */
  first: string
  onClose(): void
}

/** Compares two contents of a file, chosen from its versions and its current content. */
export function CompareDialog({ file, versions, first, onClose }: CompareDialogProps) {
  const { t, i18n } = useLingui()
  const [ids, setIds] = useState<readonly [string, string]>([first, currentId])
  const name = quoted(file.name)
  const date = (time: string) => formatDate(Date.parse(time), i18n.locale)
  // It is unknown who wrote a version. Beside the date alone, a name would read like its author.
  const labelOf = ({ modified, by }: Version) => {
    const written = date(modified)
    return by ? t`${written} (replaced by ${by})` : written
  }
  const choices = [
    [currentId, t`Current content`] as const,
    ...versions.map((version) => [version.id, labelOf(version)] as const),
  ]
  const nameOf = (id: string) => choices.find(([choice]) => choice === id)?.[1] ?? ''
  return (
    <LaterDialog title={t`Compare: ${name}`} isFull onClose={onClose}>
      <div className={styles.sides}>
        <Select label={t`Before`} value={ids[0]} choices={choices} onChange={(id) => setIds([id, ids[1]])} />
        <Select label={t`After`} value={ids[1]} choices={choices} onChange={(id) => setIds([ids[0], id])} />
      </div>
      <Comparison
        key={ids.join()}
        file={file}
        versions={versions}
        ids={ids}
        names={[nameOf(ids[0]), nameOf(ids[1])]}
      />
      <LaterDialogButtons>
        <Button label={t`Close`} onClick={onClose} autoFocus />
      </LaterDialogButtons>
    </LaterDialog>
  )
}

interface ComparisonProps extends Pick<CompareDialogProps, 'file' | 'versions'> {
  ids: readonly [string, string]
  names: readonly [string, string]
}

/** The two contents: texts line by line, pictures beside each other, other files by size and time. */
function Comparison({ file, versions, ids, names }: ComparisonProps): ReactNode {
  const { t } = useLingui()
  const isPicture = file.type === 'image'
  const isLarge = ids.some((id) => factsOf(file, versions, id).size > maxTextBytes)
  const { texts, failure } = useTexts(file, isPicture || isLarge ? undefined : ids)
  if (failure) return <p role="alert">{failure}</p>
  if (isPicture) return <Sides file={file} versions={versions} ids={ids} names={names} isPicture />
  if (!isLarge && !texts) return <p role="status">{t`Loading…`}</p>
  const [before, after] = texts ?? []
  const hasManyLines = [before, after].some((text) => text !== undefined && !hasComparableLength(text))
  if (before !== undefined && after !== undefined && !hasManyLines)
    return <CompareTable before={before} after={after} names={names} />
  return (
    <>
      <p role="status">
        {isLarge || hasManyLines
          ? t`These contents are too large to be compared here.`
          : t`Only texts can be compared line by line.`}
      </p>
      <Sides file={file} versions={versions} ids={ids} names={names} isPicture={false} />
    </>
  )
}

type Texts = [before: string | undefined, after: string | undefined]

/** Both texts; undefined for a content that is no text. Without `ids` nothing is loaded. */
function useTexts(file: VersionedFile, ids: readonly [string, string] | undefined) {
  const [result, setResult] = useState<{ texts?: Texts; failure?: string }>({})
  const key = ids?.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the two ids.
  useEffect(() => {
    if (!ids) return
    const controller = new AbortController()
    const read = async (id: string) => {
      const { bytes, isWhole } = await readStart(sourceOf(file, id), maxTextBytes, controller.signal)
      return isWhole ? textOf(bytes, true) : undefined
    }
    Promise.all([read(ids[0]), read(ids[1])]).then(
      (texts) => controller.signal.aborted || setResult({ texts }),
      (error: unknown) => controller.signal.aborted || setResult({ failure: problemMessage(error) }),
    )
    return () => controller.abort()
  }, [file.path, key])
  return result
}

interface SidesProps extends ComparisonProps {
  isPicture: boolean
}

/** Both contents beside each other, with size and time. */
function Sides({ file, versions, ids, names, isPicture }: SidesProps) {
  const { i18n } = useLingui()
  return (
    <div className={styles.pictures}>
      {ids.map((id, side) => {
        const { size, modified } = factsOf(file, versions, id)
        return (
          <figure key={side === 0 ? 'before' : 'after'}>
            {isPicture && <KeptPicture source={sourceOf(file, id)} name={names[side] ?? ''} />}
            <figcaption>
              {names[side]}
              <p>
                {formatSize(size, i18n.locale)} · {formatDate(Date.parse(modified), i18n.locale)}
              </p>
            </figcaption>
          </figure>
        )
      })}
    </div>
  )
}
