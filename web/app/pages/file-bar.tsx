import { useLingui } from '@lingui/react/macro'
import { ChevronLeft, ChevronRight, EllipsisVertical, GalleryThumbnails, Save, X } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { ActionButton } from '#web/actions/action-button.tsx'
import { availableActions, runAction } from '#web/actions/registry.ts'
import { editor } from '#web/features/editor/document/editor-state.ts'
import { choicesOf } from '#web/features/files/menus/item-menu.ts'
import { currentContext } from '#web/features/files/state/action-context.ts'
import { files, type OpenFile } from '#web/features/files/state/files-state.ts'
import { neighbour, positionOf } from '#web/features/files/state/sequence.ts'
import { FullScreenButton, supportsFullScreen } from '#web/features/preview/full-screen.tsx'
import { stars } from '#web/shared/marks/stars.ts'
import { page } from '#web/shared/page.ts'
import { navigateTo, pageOf, parentOf, paths } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import { Name } from '#web/ui/name.tsx'
import styles from './file-frame.module.css'
import { isViewed, stripOf } from './viewer/strip-items.ts'
import { ViewerButtons } from './viewer/viewer-buttons.tsx'
import { toggleFilmStrip } from './viewer/viewer-state.ts'

const PublishTools = lazy(async () => (await import('#web/app/chunks/later-site.ts')).PublishTools)

const actionIds = ['star', 'unstar', 'share', 'move', 'search-around', 'rename', 'delete', 'info', 'download']

/**
 * Actions that have no place on narrow screens. They are in the menu More there. Pictures and videos are often passed
 * on, and texts have a button that saves them.
 */
function spareOf(file: Pick<OpenFile, 'type'>): string[] {
  return [...(isViewed(file) ? [] : ['star', 'unstar', 'share']), 'move', 'rename', 'search-around']
}

interface FileBarProps {
  file: OpenFile
  /** Another file is loading. */
  isBusy: boolean
  /** Goes to the next (1) or the previous (-1) file. */
  onTurn(by: 1 | -1): void
}

/** The header of an open file: close button, name, buttons to the neighbours, and actions. */
export function FileBar({ file, isBusy, onTurn }: FileBarProps) {
  const { t, i18n } = useLingui()
  const { isDirty, open } = useSnapshot(editor)
  const position = positionOf(file)
  const context = contextOf(file)
  const spare = spareOf(file)
  // The stars are loaded later, and change.
  useSnapshot(stars)
  return (
    <header className={styles.bar}>
      <Button
        variant="quiet"
        icon={X}
        iconOnly
        label={t`Close`}
        onClick={() => navigateTo(pageOf(parentOf(files.path)))}
      />
      <FileIcon name={file.name} isDir={false} type={file.type} />
      {/* Screen readers announce the next file. */}
      <h1 data-full={file.name} aria-live="polite">
        <Name name={file.name} />
      </h1>
      {position && position.count > 1 && (
        <div className={styles.turn}>
          <TurnButton file={file} by={-1} onTurn={onTurn} />
          <p aria-live="polite">
            {t`${formatNumber(position.at, i18n.locale)} of ${formatNumber(position.count, i18n.locale)}`}
          </p>
          <TurnButton file={file} by={1} onTurn={onTurn} />
        </div>
      )}
      <div className={styles.tools} role="toolbar" aria-label={t`Actions`} inert={isBusy}>
        {availableActions(actionIds, context).map((action) => (
          <ActionButton
            key={action.id}
            action={action}
            data-spare={spare.includes(action.id) || undefined}
            onClick={() => act(action, context)}
          />
        ))}
        {stripOf(file).length > 0 && <ViewerButtons file={file} />}
        {supportsFullScreen(file) && <FullScreenButton />}
        <MoreButton file={file} spare={spare} context={context} />
        {page.StaticGen && !context.isShare && file.type === 'text' && open && (
          <PublishTools
            path={file.path}
            save={async () => (await editor.open?.save()) ?? false}
            onPublished={(path) => onPublished(file, path)}
          />
        )}
        {file.type === 'text' && file.kind === 'editor' && (
          <Button
            variant="main"
            icon={Save}
            label={t`Save`}
            isInactive={!isDirty}
            onClick={() => editor.open?.save()}
          />
        )}
      </div>
    </header>
  )
}

/** Shows the published text: Jekyll moves drafts, and the draft mark was removed from the file. */
function onPublished(file: OpenFile, path: string): void {
  // The user may have opened another file meanwhile.
  if (files.path !== file.path) return
  if (path === file.path) void editor.open?.refresh()
  else navigateTo(paths.files(path), { replace: true })
}

/** The action context while `file` is shown. */
export function contextOf(file: OpenFile): ActionContext {
  return { ...currentContext(), folder: undefined, chosen: [{ ...file, index: 0 }] }
}

/** Actions that change the file itself ask about unsaved changes first. */
async function act(action: Action, context: ActionContext): Promise<boolean> {
  const changes = ['rename', 'move', 'delete'].includes(action.id)
  if (changes && editor.isDirty && !(await editor.open?.resolveUnsaved())) return false
  return runAction(action, context)
}

interface MoreButtonProps extends Pick<FileBarProps, 'file'> {
  spare: readonly string[]
  context: ActionContext
}

/** The menu of what has no place on narrow screens. */
function MoreButton({ file, spare, context }: MoreButtonProps) {
  const { t } = useLingui()
  const { choices, find } = choicesOf([spare], context)
  const strip = { id: 'film-strip', label: t`Film strip`, icon: GalleryThumbnails }
  const all = stripOf(file).length > 0 ? [...choices, strip] : choices
  if (all.length === 0) return null
  return (
    <MenuButton
      variant="quiet"
      icon={EllipsisVertical}
      iconOnly
      label={t`More`}
      className={styles.more}
      choices={all}
      onChoose={(id) => {
        const action = find(id)
        if (action) void act(action, context)
        else toggleFilmStrip()
      }}
    />
  )
}

interface TurnButtonProps extends Pick<FileBarProps, 'file' | 'onTurn'> {
  by: 1 | -1
}

function TurnButton({ file, by, onTurn }: TurnButtonProps) {
  const { t } = useLingui()
  return (
    <Button
      variant="quiet"
      icon={by < 0 ? ChevronLeft : ChevronRight}
      iconOnly
      label={by < 0 ? t`Previous` : t`Next`}
      isInactive={!neighbour(file, by)}
      onClick={() => onTurn(by)}
    />
  )
}
