import type { FolderView, TokenUser } from '#contract/users.ts'
import { origin } from '#web/api/origin.ts'
import { permissions } from '#web/shared/session.ts'

/** A column of the list besides the name. */
export type Column = NonNullable<FolderView['columns']>[number]

/** All columns in their order, with their smallest widths in rem and whether they show metadata. */
const widths: readonly (readonly [column: Column, rem: number, isMetadata?: true])[] = [
  ['size', 6.5],
  ['kind', 7],
  ['taken', 12.5, true],
  ['dimensions', 8, true],
  ['owner', 8, true],
  ['modified', 11],
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

/** Names get all of the width up to here, in rem. Of the rest, they get a small share. */
const namesRem = 47
const namesShare = 0.2

/**
 * The value of `grid-template-columns` for lines with these columns after the name. On wide screens the other columns
 * get most of the additional width, so that they use it and stay near the names.
 */
export function gridOf(columns: readonly Column[]): string {
  const rest = widths.flatMap(([column, rem]) => (columns.includes(column) ? rem : []))
  const narrowest = rest.reduce((sum, rem) => sum + rem, namesRem)
  const share = (1 - namesShare) / rest.length
  return [
    'minmax(0, 1fr)',
    ...rest.map((rem) => `calc(${rem}rem + ${share} * max(0px, 100% - ${narrowest}rem))`),
  ].join(' ')
}

/** What changes how sizes and dates are written. A line with other formats is drawn again. */
export function formatsOf(user: Pick<TokenUser, 'sizeUnit' | 'dateStyle'> | undefined): string {
  return `${user?.sizeUnit} ${user?.dateStyle}`
}
