// One chunk for the trash. Only users who open it load it.
export { TrashFrame } from '#web/app/pages/trash-frame.tsx'
