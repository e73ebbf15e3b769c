// One chunk for uploads, because many sessions upload nothing.
export { uploadRequestsOf } from '#web/api/uploads/gather.ts'
export { clear, enqueue } from '#web/features/uploads/queue/uploads-queue.ts'
export { UploadsPanel } from '#web/features/uploads/uploads-panel.tsx'
