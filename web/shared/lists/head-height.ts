/** The height of the column headers, which stay above the items, in pixels: that of a control (`style/tokens.css`). */
export function headHeight(): number {
  return matchMedia('(pointer: coarse)').matches ? 44 : 36
}
