// One chunk for uploads on their way: many a visit sends nothing.
export { wishesOf } from '#web/features/uploads/gather.ts'
export { UploadsPanel } from '#web/features/uploads/uploads-panel.tsx'
export { clear, enqueue } from '#web/features/uploads/uploads-queue.ts'
