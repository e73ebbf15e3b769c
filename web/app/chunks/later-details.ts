// One chunk for the properties of the selection, in the panel beside the list or in a dialog.
export { DetailsFrame } from '#web/app/panels/details-frame.tsx'
export { InfoDialog } from '#web/features/details/info-dialog.tsx'
