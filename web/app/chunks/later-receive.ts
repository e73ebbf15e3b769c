// One chunk for what visitors send and change. Only visitors of shares that allow it load it.
export { deleteShared, renameShared } from '#web/features/files/operations/shared-changes.ts'
export { ReceivePage } from '#web/features/public/send/receive-page.tsx'
export { SendPanel } from '#web/features/public/send/send-panel.tsx'
