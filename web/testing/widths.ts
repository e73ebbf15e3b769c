import { isLong } from '#src/testing/long.ts'

// Of phones, tablets and screens, and on both sides of the widths at which the page changes its layout.
const usual = [
  320, 390, 470, 490, 560, 600, 680, 730, 740, 834, 920, 940, 1020, 1030, 1280, 1440, 1920, 2560, 3840,
]

/** The widths of windows at which a layout is checked, up to `most`: in `npm run nightly` all in steps of 20 pixels. */
export function widths(most = 3840): readonly number[] {
  const all = isLong ? Array.from({ length: 177 }, (_, n) => 320 + 20 * n) : usual
  return all.filter((width) => width <= most)
}
