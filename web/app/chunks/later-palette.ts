// One chunk for the command palette.
export { PaletteFrame } from '#web/app/panels/palette-frame.tsx'
