import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'
import { FilesPage, PathBar } from '#web/features/files/files-page.tsx'
import { shownContext } from '#web/features/files/state/action-context.ts'
import { files, showPath } from '#web/features/files/state/files-state.ts'
import { clearSelection, selection } from '#web/features/files/state/selection.ts'
import { isMosaic } from '#web/features/files/state/view-mode.ts'
import { shellState } from '#web/features/shell/shell-state.ts'
import { dismissAll } from '#web/overlays/ask.ts'
import { announceChange } from '#web/shared/changes.ts'
import { detailsPanel } from '#web/shared/lists/details-panel.ts'
import { page } from '#web/shared/page.ts'
import { nameOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { PageWaiting } from '#web/ui/loading/page-waiting.tsx'
import { Skeleton } from '#web/ui/loading/skeleton.tsx'
import { useFileShortcuts } from './files-keys.ts'
import { PageTitle } from './page-title.tsx'
import styles from './shell.module.css'
import { Sidebar } from './sidebar.tsx'

/** An open file. Its code is preloaded when the page is idle. */
export const FileFrame = lazy(
  async () => (await import('#web/app/chunks/later-views.ts')).FileFrame,
  ({ file }) => <PageWaiting title={file.name} />,
)
/** Accepts files dropped from the desktop. */
export const DropZone = lazy(async () => (await import('#web/app/chunks/later-views.ts')).DropZone)
const SiteStatus = lazy(async () => (await import('#web/app/chunks/later-site.ts')).SiteStatus)
const ErrorPage = lazy(async () => (await import('#web/app/chunks/later-views.ts')).ErrorPage)
const DetailsFrame = lazy(async () => (await import('#web/app/chunks/later-details.ts')).DetailsFrame)
const ShellPanel = lazy(async () => (await import('#web/app/chunks/later-shell.ts')).ShellPanel)

interface ShellProps {
  /** The decoded path in the address. */
  path: string
}

/** The layout of all pages of a signed-in user. */
export function Shell({ path }: ShellProps) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const { file, failure, loading, folder, tasks, path: requested } = useSnapshot(files)
  useEffect(() => {
    dismissAll()
    if (files.path !== path || (!files.loading && files.failure)) void showPath(path)
  }, [path])
  useEffect(() => {
    return () => {
      // Any change of route resets the selection, also one to the settings.
      clearSelection(selection.cursor)
    }
  }, [])
  useFileShortcuts()
  const context = shownContext()
  const isFile = !failure && file !== undefined && files.file !== undefined
  return (
    <div className={styles.shell}>
      <PageTitle title={nameOf(path) ? `${nameOf(path)} – ${page.Name}` : t`My files – ${page.Name}`} />
      <div className={styles.load} data-on={loading || tasks > 0 || undefined} />
      <Sidebar context={context} username={user?.username ?? ''} isBehind={isFile} />
      <main className={styles.main} inert={isFile} aria-busy={loading}>
        {failure ? (
          <Failure path={path} code={failure} />
        ) : folder ? (
          <FilesPage />
        ) : (
          loading && <FirstContent path={path} />
        )}
      </main>
      <DetailsSlot />
      <ShellSlot />
      <SiteSlot />
      {isFile && files.file && <FileFrame file={files.file} />}
      <DropZone
        folder={!isFile && !failure && folder?.path === requested ? requested : undefined}
        mayCreate={user?.perm.create ?? false}
      />
    </div>
  )
}

interface FailureProps extends ShellProps {
  code: FailureCode
}

/** The error at an address. If only the server cannot be reached, the path stays above it. */
function Failure({ path, code }: FailureProps) {
  return (
    <>
      {code === 'network.lost' && <PathBar path={path} />}
      <ErrorPage code={code} onRetry={() => void showPath(path)} />
    </>
  )
}

/** The placeholder of the first folder, or of a file opened by its address. */
function FirstContent({ path }: ShellProps) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  return (
    <>
      <h1 className="visually-hidden">{nameOf(path) || t`My files`}</h1>
      <Skeleton shape={!path.endsWith('/') ? 'page' : isMosaic(user) ? 'tiles' : 'rows'} />
    </>
  )
}

/** The status of posts and pages in the shown folder, for users who may publish. */
function SiteSlot() {
  const { user } = useSnapshot(session)
  const { folder, file } = useSnapshot(files)
  if (!page.StaticGen || !(user?.perm.admin || user?.perm.publish)) return null
  return <SiteStatus folder={file ? undefined : folder?.path} items={folder?.items} />
}

/** The properties of the selection beside the list, while this panel is open. */
function DetailsSlot() {
  const { isOpen } = useSnapshot(detailsPanel)
  const { folder, file, failure } = useSnapshot(files)
  return isOpen && folder && !file && !failure && <DetailsFrame />
}

/** The shell, if it is enabled and a folder is shown. */
function ShellSlot() {
  const { isShown } = useSnapshot(shellState)
  const { folder, file } = useSnapshot(files)
  if (!isShown || !folder || file) return null
  return <ShellPanel folder={folder.path} onChange={() => announceChange(folder.path)} />
}
