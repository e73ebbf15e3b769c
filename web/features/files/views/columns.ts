import type { FolderView, TokenUser } from '#contract/users.ts'
import { origin } from '#web/api/origin.ts'
import { permissions } from '#web/shared/session.ts'

/** A column of the list besides the name. */
export type Column = NonNullable<FolderView['columns']>[number]

/** All columns in their order, with their widths and whether they show metadata. */
const widths: readonly (readonly [column: Column, width: string, isMetadata?: true])[] = [
  ['size', '6.5rem'],
  ['kind', '7rem'],
  ['taken', '12.5rem', true],
  ['dimensions', '8rem', true],
  ['owner', '8rem', true],
  ['modified', '11rem'],
]

/** Whether the user may see metadata of files, which is in their content. */
export function mayReadMetadata(): boolean {
  return !origin.link && permissions().download
}

/** The shown columns besides the name, in their order: those of the folder, else those of the user. */
export function columnsOf(
  user: { readonly columns?: readonly Column[] | undefined } | undefined,
  view: { readonly columns?: readonly Column[] | undefined } | undefined,
): readonly Column[] {
  const chosen = view?.columns ?? user?.columns ?? ['size', 'modified']
  return widths.flatMap(([column, , isMetadata]) =>
    chosen.includes(column) && (!isMetadata || mayReadMetadata()) ? column : [],
  )
}

/** The widest name column. On wide screens the other columns stay near the names, and the rest of a line is empty. */
const widestName = 'clamp(48rem, 45%, 64rem)'

/** The value of `grid-template-columns` for lines with these columns after the name. */
export function gridOf(columns: readonly Column[]): string {
  const rest = widths.flatMap(([column, width]) => (columns.includes(column) ? width : []))
  if (rest.length === 0) return 'minmax(0, 1fr)'
  return [`minmax(0, ${widestName})`, ...rest, 'minmax(0, 1fr)'].join(' ')
}

/** What changes how sizes and dates are written. A line with other formats is drawn again. */
export function formatsOf(user: Pick<TokenUser, 'sizeUnit' | 'dateStyle'> | undefined): string {
  return `${user?.sizeUnit} ${user?.dateStyle}`
}
