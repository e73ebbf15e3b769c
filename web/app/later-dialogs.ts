// One chunk for all that stands on react-aria: it weighs more than the rest of the page.
export { NewFolder } from '#web/features/files/new-folder.tsx'
export { Conflict } from '#web/features/uploads/conflict.tsx'
export { Menu } from '#web/ui/menu.tsx'
