// One chunk for the trash, and starred and recent files. Only users who open one of these pages load it.
export { BookmarksFrame } from '#web/app/pages/bookmarks-frame.tsx'
export { TrashFrame } from '#web/app/pages/trash-frame.tsx'
