import type { FolderView, TokenUser } from '#contract/users.ts'

/** A column of the list besides the name. */
export type Column = NonNullable<FolderView['columns']>[number]

/** All columns in their order, with their widths. */
const widths: readonly (readonly [Column, string])[] = [
  ['size', '6.5rem'],
  ['kind', '7rem'],
  ['modified', '11rem'],
]

/** The shown columns besides the name, in their order: those of the folder, else those of the user. */
export function columnsOf(
  user: { readonly columns?: readonly Column[] | undefined } | undefined,
  view: { readonly columns?: readonly Column[] | undefined } | undefined,
): readonly Column[] {
  const chosen = view?.columns ?? user?.columns ?? ['size', 'modified']
  return widths.flatMap(([column]) => (chosen.includes(column) ? column : []))
}

/** The value of `grid-template-columns` for lines with these columns after the name. */
export function gridOf(columns: readonly Column[]): string {
  const rest = widths.flatMap(([column, width]) => (columns.includes(column) ? width : []))
  return ['minmax(0, 1fr)', ...rest].join(' ')
}

/** What changes how sizes and dates are written. A line with other formats is drawn again. */
export function formatsOf(user: Pick<TokenUser, 'sizeUnit' | 'dateStyle'> | undefined): string {
  return `${user?.sizeUnit} ${user?.dateStyle}`
}
