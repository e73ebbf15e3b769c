// One chunk for renaming several items at once.
export { RenameManyDialog } from '#web/features/rename-many/rename-many.tsx'
