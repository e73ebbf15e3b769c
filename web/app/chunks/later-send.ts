// One chunk for sending files as a visitor. Only visitors who send something load it.
export { deleteArrived, deliver } from '#web/features/public/send/deliver.ts'
