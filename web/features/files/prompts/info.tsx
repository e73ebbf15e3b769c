import { Plural, useLingui } from '@lingui/react/macro'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { formatDate, formatNumber, formatSize } from '#web/ui/format/format.ts'
import { Checksums } from './checksums.tsx'
import { TotalSize } from './deep-size.tsx'
import { DescriptionEntry } from './fact.tsx'
import styles from './prompts.module.css'

interface Question {
  /** The shown folder, decoded, with a closing slash. */
  folder: string
  /** The selected items; without any, shows the folder itself. */
  items: readonly Item[]
  /** Components of other features. This feature must not import them. */
  Versions: ComponentType<{ file: Item; onLeave(): void }>
  Activity: ComponentType<{ path: string }>
}

interface Facts {
  modified: string
  size: number
  counts: { folders: number; files: number } | undefined
}

/** Shows the properties of one item, of several items, or of the shown folder. */
export function InfoDialog({ question, close }: AskProps<Question, never>) {
  const { t } = useLingui()
  const { folder, items, Versions, Activity } = question
  const [only] = items
  return (
    <Dialog title={t`Info`} isWide={items.length < 2} onClose={close}>
      {items.length > 1 ? (
        <Several items={items} />
      ) : (
        <One path={only?.path ?? folder} item={only}>
          {only && !only.isDir && (
            <Part title={t`Versions`}>
              <Versions file={only} onLeave={() => close()} />
            </Part>
          )}
          <Part title={t`Activity`}>
            <Activity path={only?.path ?? folder} />
          </Part>
        </One>
      )}
      <DialogButtons>
        <Button variant="main" label={t`Close`} onClick={() => close()} autoFocus />
      </DialogButtons>
    </Dialog>
  )
}

function Several({ items }: { items: readonly Item[] }) {
  const { t, i18n } = useLingui()
  const folders = items.filter((item) => item.isDir).length
  const size = items.reduce((sum, item) => sum + (item.isDir ? 0 : item.size), 0)
  return (
    <dl className={styles.facts}>
      <DescriptionEntry name={t`Selected`}>
        <Counts folders={folders} files={items.length - folders} />
      </DescriptionEntry>
      <DescriptionEntry name={t`Size of the files`}>{formatSize(size, i18n.locale)}</DescriptionEntry>
      {folders > 0 && (
        <TotalSize paths={items.filter((item) => item.isDir).map((item) => item.path)} more={size} />
      )}
    </dl>
  )
}

interface OneProps {
  path: string
  item: Item | undefined
  /** Parts below the properties. */
  children: ReactNode
}

function One({ path, item, children }: OneProps) {
  const { t, i18n } = useLingui()
  const { facts, failure } = useFacts(path, item)
  const isDir = item?.isDir ?? true
  return (
    <>
      <dl className={styles.facts}>
        <DescriptionEntry name={t`Name`}>
          <bdi>{nameOf(path) || t`My files`}</bdi>
        </DescriptionEntry>
        <DescriptionEntry name={t`Location`}>
          <bdi>{parentOf(path)}</bdi>
        </DescriptionEntry>
        {facts?.counts && (
          <DescriptionEntry name={t`Contents`}>
            <Counts {...facts.counts} />
          </DescriptionEntry>
        )}
        {isDir && <TotalSize paths={[path]} more={0} />}
        {facts && !isDir && (
          <DescriptionEntry name={t`Size`}>
            {formatSize(facts.size, i18n.locale)}
            {facts.size > 1023 && t` (${formatNumber(facts.size, i18n.locale)} bytes)`}
          </DescriptionEntry>
        )}
        {facts && (
          <DescriptionEntry name={t`Last modified`}>
            {formatDate(Date.parse(facts.modified), i18n.locale)}
          </DescriptionEntry>
        )}
        {!isDir && <Checksums path={path} />}
      </dl>
      {failure && (
        <p role="alert" className={styles.error}>
          {failure}
        </p>
      )}
      {children}
    </>
  )
}

interface PartProps {
  title: string
  children: ReactNode
}

/** A part of the dialog that is loaded when the user opens it. */
function Part({ title, children }: PartProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.part} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  )
}

/** The properties of a file are known from the list. Those of a folder are requested. */
function useFacts(path: string, item: Item | undefined) {
  const { i18n } = useLingui()
  const [facts, setFacts] = useState<Facts | undefined>(item && { ...item, counts: undefined })
  const [failure, setFailure] = useState<string>()
  const isDir = item?.isDir ?? true
  useEffect(() => {
    if (!isDir) return
    const controller = new AbortController()
    api('GET /api/resources/*', { params: { '*': path }, query: {} }, { signal: controller.signal }).then(
      (listing) => {
        if (!('items' in listing)) return
        const counts = { folders: listing.numDirs, files: listing.numFiles }
        setFacts({ modified: listing.modified, size: listing.size, counts })
      },
      (error: unknown) => controller.signal.aborted || setFailure(i18n._(problemText(codeOf(error)))),
    )
    return () => controller.abort()
  }, [path, isDir, i18n])
  return { facts, failure }
}

function Counts({ folders, files }: { folders: number; files: number }) {
  return (
    <>
      <Plural value={folders} one="# folder" other="# folders" />
      {', '}
      <Plural value={files} one="# file" other="# files" />
    </>
  )
}
