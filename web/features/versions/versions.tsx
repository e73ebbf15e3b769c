import { Trans, useLingui } from '@lingui/react/macro'
import { Columns2, Download, EllipsisVertical, Eye, RotateCcw, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Version } from '#contract/history/kept.ts'
import { api, type OnOperation } from '#web/api/client.ts'
import { contentAddress } from '#web/api/history/kept.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { announceChange, announceContent } from '#web/shared/changes.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { ownChange } from '#web/shared/live/own-changes.ts'
import { afterUnsavedCheck } from '#web/shared/navigation-guard.ts'
import { parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { quoted } from '#web/shared/undo/change-text.ts'
import { recorded } from '#web/shared/undo/history.ts'
import { Button } from '#web/ui/button.tsx'
import { formatDate, formatSize } from '#web/ui/format/format.ts'
import { lineList, useLines } from '#web/ui/line-list.tsx'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import { saveAs } from '#web/ui/save-as.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { CompareDialog } from './compare/compare-dialog.tsx'
import { sourceOf, type VersionedFile } from './compare/contents.ts'
import { DeleteVersionDialog, VersionDialog } from './version-dialogs.tsx'
import styles from './versions.module.css'

interface VersionsProps {
  file: VersionedFile
  /** Closes the dialog that contains the list, because restoring may ask about unsaved changes. */
  onLeave(): void
}

/** What a dialog above the list shows. */
interface Shown {
  kind: 'look' | 'compare' | 'delete'
  version: Version
  at: number
}

/** The old contents of a file: look at, compare, restore, download and delete them. */
export function Versions({ file, onLeave }: VersionsProps) {
  const { t } = useLingui()
  const { versions, failure, load, drop } = useVersions(file)
  const [shown, setShown] = useState<Shown>()
  const { ref, removeLine } = useLines(versions?.length ?? 0)
  const close = () => setShown(undefined)
  if (failure)
    return (
      <p role="alert" className={styles.failure}>
        {failure} <Button label={t`Try again`} onClick={load} />
      </p>
    )
  if (!versions) return <p role="status">{t`Loading…`}</p>
  const restore = (version: Version) => {
    onLeave()
    return restoreVersion(file, version, t`Restored an old version of ${quoted(file.name)}`)
  }
  const remove = (at: number, { id }: Version) =>
    removeLine(at, () =>
      submitForm(t`Version deleted.`, async () => {
        await api('DELETE /api/versions/*', { params: { '*': file.path }, query: { version: id } })
        drop(id)
      }),
    )
  return (
    <>
      {versions.length === 0 && <p className={lineList.detail}>{t`There are no older versions.`}</p>}
      <ul ref={ref} className={lineList.list}>
        {versions.map((version, at) => (
          <VersionLine
            key={version.id}
            file={file}
            version={version}
            onShow={(kind) => setShown({ kind, version, at })}
            onRestore={() => restore(version)}
          />
        ))}
      </ul>
      {shown?.kind === 'look' && (
        <VersionDialog
          file={file}
          version={shown.version}
          onCompare={() => setShown({ ...shown, kind: 'compare' })}
          onClose={close}
        />
      )}
      {shown?.kind === 'compare' && (
        <CompareDialog file={file} versions={versions} first={shown.version.id} onClose={close} />
      )}
      {shown?.kind === 'delete' && (
        <DeleteVersionDialog
          version={shown.version}
          onClose={close}
          onConfirm={() => {
            close()
            void remove(shown.at, shown.version)
          }}
        />
      )}
    </>
  )
}

/** The versions of a file; undefined until they are loaded. After a change of the file they are loaded again. */
function useVersions({ path, modified }: VersionedFile) {
  const [result, setResult] = useState<{ versions?: readonly Version[]; failure?: string }>({})
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt, and a change of the file, load again.
  useEffect(() => {
    const { signal, abort } = abortable()
    api('GET /api/versions/*', { params: { '*': path } }, { signal }).then(
      (versions) => signal.aborted || setResult({ versions }),
      (error: unknown) => signal.aborted || setResult({ failure: problemMessage(error) }),
    )
    return abort
  }, [path, modified, attempt])
  return {
    ...result,
    load: () => setAttempt(attempt + 1),
    drop: (id: string) =>
      setResult(({ versions = [] }) => ({ versions: versions.filter((version) => version.id !== id) })),
  }
}

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

/** Restores a version, after asking about unsaved changes of the open file. The current content becomes a version. */
async function restoreVersion({ path }: VersionedFile, { id }: Version, text: string): Promise<void> {
  await afterUnsavedCheck(async () => {
    const call = (onOperation: OnOperation) =>
      api('POST /api/versions/*', { params: { '*': path }, query: { version: id } }, { onOperation })
    try {
      await ownChange(() => recorded({ text }, call))
    } catch (error) {
      showToast('error', problemMessage(error))
    }
    // Also after an error, because a command that runs afterwards may have failed.
    announceChange(parentOf(path))
    announceContent(path)
  })
}

async function download(file: VersionedFile, { id }: Version): Promise<void> {
  try {
    saveAs(await contentAddress(sourceOf(file, id), false))
  } catch (error) {
    showToast('error', problemMessage(error))
  }
}

interface VersionLineProps {
  file: VersionedFile
  version: Version
  onShow(kind: Shown['kind']): void
  onRestore(): Promise<void>
}

function VersionLine({ file, version, onShow, onRestore }: VersionLineProps) {
  const { t, i18n } = useLingui()
  const { modified, replaced, by, size } = version
  const may = session.user?.perm
  const date = formatDate(Date.parse(modified), i18n.locale)
  const choices = [
    ...(may?.modify ? [{ id: 'restore', label: t`Restore`, icon: RotateCcw }] : []),
    ...(may?.download ? [{ id: 'download', label: t`Download`, icon: Download }] : []),
    ...(may?.delete ? [{ id: 'delete', label: t`Delete version`, icon: Trash2 }] : []),
  ]
  const replacedOn = formatDate(Date.parse(replaced), i18n.locale)
  const choose = (id: string) => {
    if (id === 'restore') void onRestore()
    else if (id === 'download') void download(file, version)
    else onShow('delete')
  }
  return (
    <li aria-label={date}>
      <div>
        <p>
          {date} · {formatSize(size, i18n.locale)}
        </p>
        <p className={lineList.detail}>
          {by ? (
            <Trans>
              replaced by <bdi>{by}</bdi>, {replacedOn}
            </Trans>
          ) : (
            t`replaced ${replacedOn}`
          )}
        </p>
      </div>
      {may?.download && (
        <>
          <Button variant="quiet" icon={Eye} iconOnly label={t`Preview`} onClick={() => onShow('look')} />
          <Button
            variant="quiet"
            icon={Columns2}
            iconOnly
            label={t`Compare`}
            onClick={() => onShow('compare')}
          />
        </>
      )}
      {choices.length > 0 && (
        <MenuButton
          variant="quiet"
          icon={EllipsisVertical}
          iconOnly
          label={t`More`}
          choices={choices}
          onChoose={choose}
        />
      )}
    </li>
  )
}
