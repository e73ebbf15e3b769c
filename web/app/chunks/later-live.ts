// One chunk for changes that others make. It is loaded after everything that the user sees.
export { followLive } from '#web/app/follow-live.ts'
