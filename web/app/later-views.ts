// One chunk for all views that the first listing does without. Many small ones would cost more than they save: each
// splits what it shares with the entry into further files.

export { DiskUsage } from '#web/features/files/disk-usage.tsx'
export { listenToDrags } from '#web/features/files/drag.ts'
export { FileMosaic } from '#web/features/files/file-mosaic.tsx'
export { findActions } from '#web/features/files/find.ts'
export { itemActions } from '#web/features/files/item-actions.ts'
export { showItemMenu } from '#web/features/files/item-menu.ts'
export { listenToMarquee } from '#web/features/files/marquee.ts'
export { SelectionTools } from '#web/features/files/selection-tools.tsx'
export { viewActions } from '#web/features/files/view-actions.ts'
export { sharesActions } from '#web/features/shares/shares-actions.ts'
export { shellActions } from '#web/features/shell/shell-actions.ts'
export { DropZone } from '#web/features/uploads/drop-zone.tsx'
export { ErrorPage } from './error-page.tsx'
export { Failed } from './failed.tsx'
export { FileContent } from './file-content.tsx'
export { FileFrame } from './file-frame.tsx'
