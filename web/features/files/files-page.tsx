import { useLingui } from '@lingui/react/macro'
import { FolderOpen } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import type { FolderView } from '#contract/users.ts'
import type { ActionContext } from '#web/actions/action.ts'
import { availableActions } from '#web/actions/registry.ts'
import { origin } from '#web/api/origin.ts'
import { useFreeFocus } from '#web/shared/lists/use-free-focus.ts'
import { page } from '#web/shared/page.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { lazy } from '#web/ui/lazy.tsx'
import { Toolbar } from '#web/ui/toolbar.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import styles from './files-page.module.css'
import { FileList } from './list/file-list.tsx'
import { loadActions } from './menus/load-actions.ts'
import { runInCurrentContext, shownContext } from './state/action-context.ts'
import { files } from './state/files-state.ts'
import { withActionParts } from './state/list-parts.ts'
import { runningDeletions } from './state/removal-state.ts'
import { selection } from './state/selection.ts'
import { isMosaic, visitorView } from './state/view-mode.ts'
import { StatusLine } from './status-line.tsx'

/**
 * A list of another folder is marked as outdated after this delay, in milliseconds. Faster responses cause no flicker.
 */
const staleMs = 150

const loadViews = () => import('#web/app/chunks/later-views.ts')

/** The mosaic view, loaded on first use, because most users use the list. */
export const FileMosaic = lazy(async () => (await loadViews()).FileMosaic)

/** The actions of the folder beside its path. */
const FolderTools = lazy(async () => (await loadActions()).FolderTools)

const LostLine = lazy(async () => (await loadViews()).LostLine)
const SelectionBar = lazy(async () => (await loadViews()).SelectionBar)

const DeletionProgress = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).DeletionProgress)

/** The page of a folder: breadcrumbs, actions and items. */
export function FilesPage() {
  const { t } = useLingui()
  const { folder, file, isLost } = useSnapshot(files)
  const { names } = useSnapshot(selection)
  const { user } = useSnapshot(session)
  useSnapshot(visitorView)
  const { link } = origin
  // The snapshot makes the list follow changes of its items. Nothing below changes them.
  const items = (folder?.items ?? []) as readonly Item[]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the context depends on these states.
  const context = useMemo(shownContext, [folder, names, user, file])
  const isStale = useStale()
  if (!folder) return null
  return (
    <section className={styles.page} data-part="files" data-guest={!user || undefined}>
      {/* Screen readers announce the name of a folder that is opened. */}
      {!link && (
        <h1 className="visually-hidden" aria-live="polite">
          {nameOf(folder.path) || t`My files`}
        </h1>
      )}
      <FolderBar context={context} isStale={isStale} />
      {isLost && <LostLine />}
      <div className={styles.body} inert={isStale} aria-busy={isStale}>
        {items.length === 0 ? (
          <EmptyFolder folder={folder.path} context={context} />
        ) : isMosaic(user, folder.view as FolderView) ? (
          <FileMosaic folder={folder.path} items={items} />
        ) : (
          <FileList folder={folder.path} items={items} expected={folder.expected} />
        )}
        {!link && <Removals />}
        {items.length > 0 && <StatusLine items={items} expected={folder.expected} context={context} />}
      </div>
    </section>
  )
}

interface PathBarProps {
  /** Decoded. */
  path: string
}

/** Only the path: above the error, when its folder cannot be loaded. */
export function PathBar({ path }: PathBarProps) {
  return (
    <div className={styles.bar}>
      <Breadcrumbs path={path.endsWith('/') ? path : parentOf(path)} />
    </div>
  )
}

interface FolderBarProps {
  context: ActionContext
  isStale: boolean
}

/** The path and the actions of the folder, or the selection and its actions. */
function FolderBar({ context, isStale }: FolderBarProps) {
  const { t } = useLingui()
  const { path, folder } = useSnapshot(files)
  const { multiple } = useSnapshot(selection)
  const { link } = origin
  const isSelecting = multiple || context.chosen.length > 0
  return (
    <div className={styles.bar} data-selecting={isSelecting || undefined}>
      {/* Always the path of the rows below, until they look outdated. */}
      <Breadcrumbs path={isStale ? path : (folder?.path ?? path)} top={link && (link.name || page.Name)} />
      <Toolbar label={t`Actions`} className={styles.tools} inert={isStale}>
        <FolderTools context={context} />
      </Toolbar>
      {isSelecting && <SelectionBar context={context} />}
    </div>
  )
}

/** Whether another folder or file has been loading for so long that the list must look outdated. */
function useStale(): boolean {
  const { folder, path } = useSnapshot(files)
  const [isLate, setLate] = useState(false)
  const isOther = folder?.path !== path
  useEffect(() => {
    if (!isOther) return
    const timer = setTimeout(() => setLate(true), staleMs)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [isOther])
  return isOther && isLate
}

/** The progress of running deletions. The code is loaded with the first one. */
function Removals(): ReactNode {
  return useSnapshot(runningDeletions).all.length > 0 && <DeletionProgress />
}

interface EmptyFolderProps {
  folder: string
  context: ActionContext
}

/** The message in an empty folder, with actions that fill it. It takes the focus of a list that was there before. */
function EmptyFolder({ folder, context }: EmptyFolderProps) {
  const { t, i18n } = useLingui()
  const message = useRef<HTMLHeadingElement>(null)
  useFreeFocus(message, folder, useSnapshot(files).file !== undefined)
  const actions = availableActions(['upload-files', 'new-folder'], context)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the toolbar offers everything in this menu, too.
    <div
      className={styles.empty}
      onContextMenu={(event) => {
        if (event.shiftKey) return
        event.preventDefault()
        withActionParts(({ openMenu }) => openMenu(event.clientX, event.clientY))
      }}
    >
      <FolderOpen size={56} strokeWidth={1} aria-hidden />
      <h2 ref={message} tabIndex={-1} data-message>{t`This folder is empty`}</h2>
      {actions.length > 0 && <p className={styles.hint}>{t`Drop files or folders anywhere on this page.`}</p>}
      <div>
        {actions.map((action) => (
          <Button
            key={action.id}
            icon={action.icon}
            label={i18n._(action.label)}
            // The button shows no progress while the file chooser is open.
            onClick={() => void runInCurrentContext(action)}
          />
        ))}
      </div>
    </div>
  )
}
