// One chunk for what visitors send. Only visitors of shares that receive files load it.
export { ReceivePage } from '#web/features/public/send/receive-page.tsx'
export { SendPanel } from '#web/features/public/send/send-panel.tsx'
