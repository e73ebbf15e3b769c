import { ref, subscribe } from 'valtio'
import { registerActions } from '#web/actions/registry.ts'
import { starActions } from '#web/features/bookmarks/star-actions.ts'
import { followStars } from '#web/features/bookmarks/star-state.ts'
import { detailsActions } from '#web/features/details/details-actions.ts'
import { RenameField } from '#web/features/files/fields/rename-field.tsx'
import { findActions } from '#web/features/files/find.ts'
import { itemActions } from '#web/features/files/menus/item-actions.ts'
import { showItemMenu } from '#web/features/files/menus/item-menu.ts'
import { undoActions } from '#web/features/files/menus/undo-actions.ts'
import { viewActions } from '#web/features/files/menus/view-actions.ts'
import { RowThumbnail } from '#web/features/files/mosaic/row-thumbnail.tsx'
import { followChange } from '#web/features/files/operations/follow-change.ts'
import { showReversal } from '#web/features/files/operations/show-reversal.ts'
import { listenToDrags } from '#web/features/files/pointer/drag.ts'
import { listenToMarquee } from '#web/features/files/pointer/marquee.ts'
import { listenToPulls } from '#web/features/files/pointer/pull.ts'
import { listenToTouchDrags } from '#web/features/files/pointer/touch-drag.ts'
import { runInCurrentContext } from '#web/features/files/state/action-context.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { setActionParts } from '#web/features/files/state/list-parts.ts'
import { followConnection } from '#web/features/files/state/lost-notices.ts'
import { followTree } from '#web/features/files/tree/tree-state.ts'
import { sortByHead } from '#web/features/files/views/sorting.ts'
import { followShares } from '#web/features/shares/follow-shares.ts'
import { sharesActions } from '#web/features/shares/shares-actions.ts'
import { shellActions } from '#web/features/shell/shell-actions.ts'
import { type KnownText, onChange, onText } from '#web/shared/changes.ts'
import { session } from '#web/shared/session.ts'
import { onReversal } from '#web/shared/undo/history.ts'
import { watchDialogs } from '#web/ui/layers/back-closes.ts'
import { loadLater } from '#web/ui/loading/load-later.ts'
import { listenToTips } from '#web/ui/tips/tips.ts'
import { startAnnouncements } from '#web/ui/toasts/announce.ts'
import { noticesAction } from './panels/notices-action.ts'
import { followRecentFolders, paletteAction } from './panels/palette-action.ts'
import { enqueueAction, playAction } from './panels/play-action.ts'
import { quickLookAction } from './panels/quick-look-action.ts'

/**
 * Starts what arrives after the first list (`main.tsx` starts what comes before it). Called once, by `loadActions`, when
 * the code, its messages and its styles are there.
 */
export function startLater(): void {
  startAnnouncements()
  listenToTips()
  watchDialogs()

  registerActions(
    ...itemActions,
    ...detailsActions,
    quickLookAction,
    playAction,
    enqueueAction,
    paletteAction,
    noticesAction,
    ...findActions,
    ...sharesActions,
    ...starActions,
    ...viewActions,
    ...undoActions,
    ...shellActions,
  )
  setActionParts({
    Picture: RowThumbnail,
    RenameField,
    preview: () => void runInCurrentContext(quickLookAction),
    openMenu: showItemMenu,
    sortBy: sortByHead,
  })
  listenToDrags()
  listenToTouchDrags()
  listenToPulls()
  listenToMarquee()

  onChange(followChange)
  onReversal(showReversal)
  onText(keepText)
  followConnection()
  followRecentFolders()
  followTree()
  followStars()
  followShares()

  whenSignedIn(followOthers)
}

/** Runs a task now, or after the first sign-in. Visitors of shares need no account, and less code. */
function whenSignedIn(task: () => void): void {
  if (session.user) {
    task()
    return
  }
  const stop = subscribe(session, () => {
    if (!session.user) return
    stop()
    task()
  })
}

/** Nothing that the user sees waits for these three, and without them the page still works. */
function followOthers(): void {
  // Changes that others make:
  void loadLater(() => import('./chunks/later-live.ts'))
    .then(({ followLive }) => followLive())
    .catch(() => undefined)
  // Metadata in lists:
  void loadLater(() => import('./chunks/later-metadata.ts'))
    .then(({ followMetadata }) => followMetadata())
    .catch(() => undefined)
  // What the user is told about shares:
  void loadLater(() => import('./chunks/later-notices.ts'))
    .then(({ followNotices }) => followNotices())
    .catch(() => undefined)
}

/** Keeps the open file as the editor has saved or loaded it: for its properties, and when it is opened again. */
function keepText({ path, content, etag }: KnownText): void {
  const { file } = files
  if (file?.path === path) files.file = ref({ ...file, content, etag, size: new Blob([content]).size })
}
