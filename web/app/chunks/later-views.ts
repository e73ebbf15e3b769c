// One chunk for all views that the first listing does not need. Many small chunks would cost more than they save,
// because each splits the code that it shares with the entry into further files.

import { loadLater } from '#web/ui/loading/load-later.ts'
import { startAnnouncements } from '#web/ui/toasts/announce.ts'

export { ToastList } from '#web/app/frame/toast-list.tsx'

startAnnouncements()

// Follows what others change. Nothing that the user sees waits for it, and without it the page still works.
void loadLater(() => import('./later-live.ts'))
  .then(({ followLive }) => followLive())
  .catch(() => undefined)

// Metadata in lists appears when it is known.
void loadLater(() => import('./later-metadata.ts'))
  .then(({ followMetadata }) => followMetadata())
  .catch(() => undefined)

export { SideEdge } from '#web/app/frame/side/side-edge.tsx'
export { ErrorPage } from '#web/app/pages/error-page.tsx'
export { CrashPage } from '#web/app/pages/failed.tsx'
export { FileContent } from '#web/app/pages/file-content.tsx'
export { FileFrame } from '#web/app/pages/file-frame.tsx'
export { followRecentFolders, paletteAction } from '#web/app/panels/palette-action.ts'
export { enqueueAction, playAction } from '#web/app/panels/play-action.ts'
export { quickLookAction } from '#web/app/panels/quick-look-action.ts'
export { detailsActions } from '#web/features/details/details-actions.ts'
export { CrumbMenu } from '#web/features/files/crumb-menu.tsx'
export { DiskUsage } from '#web/features/files/disk-usage.tsx'
export { PathField } from '#web/features/files/fields/path-field.tsx'
export { RenameField } from '#web/features/files/fields/rename-field.tsx'
export { findActions } from '#web/features/files/find.ts'
export { LostLine } from '#web/features/files/lost-line.tsx'
export { FolderTools } from '#web/features/files/menus/folder-tools.tsx'
export { itemActions } from '#web/features/files/menus/item-actions.ts'
export { showItemMenu } from '#web/features/files/menus/item-menu.ts'
export { SelectionBar } from '#web/features/files/menus/selection-bar.tsx'
export { undoActions } from '#web/features/files/menus/undo-actions.ts'
export { viewActions } from '#web/features/files/menus/view-actions.ts'
export { FileMosaic } from '#web/features/files/mosaic/file-mosaic.tsx'
export { RowThumbnail } from '#web/features/files/mosaic/row-thumbnail.tsx'
export { listenToDrags } from '#web/features/files/pointer/drag.ts'
export { listenToMarquee } from '#web/features/files/pointer/marquee.ts'
export { listenToPulls } from '#web/features/files/pointer/pull.ts'
export { listenToTouchDrags } from '#web/features/files/pointer/touch-drag.ts'
export { followConnection } from '#web/features/files/state/lost-notices.ts'
export { FolderPlaces } from '#web/features/files/tree/folder-places.tsx'
export { sortByHead } from '#web/features/files/views/sorting.ts'
export { starActions } from '#web/features/places/star-actions.ts'
export { followStars } from '#web/features/places/star-state.ts'
export { StarredFolders } from '#web/features/places/starred-folders.tsx'
export { followShares } from '#web/features/shares/follow-shares.ts'
export { sharesActions } from '#web/features/shares/shares-actions.ts'
export { shellActions } from '#web/features/shell/shell-actions.ts'
export { DropZone } from '#web/features/uploads/drop-zone.tsx'
export { watchDialogs } from '#web/ui/layers/back-closes.ts'
export { listenToTips } from '#web/ui/tips/tips.ts'
