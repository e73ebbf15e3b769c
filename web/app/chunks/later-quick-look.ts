// One chunk for the preview above the list.
export { QuickLookFrame } from '#web/app/panels/quick-look-frame.tsx'
