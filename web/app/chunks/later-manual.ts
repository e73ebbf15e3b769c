// One chunk for the manual, because it contains the text of all chapters.
export { ManualFrame } from '#web/app/pages/manual-frame.tsx'
